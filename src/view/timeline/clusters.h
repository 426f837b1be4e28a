/** @file
 * Groups of similar vectors: k-centre clustering (T. F. Gonzalez, "Clustering to minimize the
 * maximum intercluster distance", 1985), improved by a few rounds of k-means; groups whose means
 * are closer to each other than their members to these are joined. All arithmetic is on integers
 * and no choice is random, so that the same vectors have the same groups everywhere. The time grows
 * with count * width * number of groups.
 */
#ifndef FERMATA_VIEW_TIMELINE_CLUSTERS_H
#define FERMATA_VIEW_TIMELINE_CLUSTERS_H

#include <stdint.h>

/** Groups, in the order of their first members. */
struct fm_clusters {
    uint32_t count;
    uint32_t *of;      /**< [vector]: its group */
    uint32_t *typical; /**< [group]: the member that is closest to the mean, the first of them */
    uint32_t *size;    /**< [group]: number of members */
};

/** Groups vectors; their distance is the sum of the differences of their elements.
 * @param vectors    [count][width]
 * @param tolerance  no more groups are made once each vector is so close to one that stands for its
 *                   group
 * @param most       number of groups at most, > 0
 * @return to be freed with fm_clusters_free() */
struct fm_clusters fm_clusters_find(const uint8_t *vectors, uint32_t count, uint32_t width,
                                    uint32_t tolerance, uint32_t most);

void fm_clusters_free(struct fm_clusters *clusters);

#endif
