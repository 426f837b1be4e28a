/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Groups of similar vectors: k-centre clustering (T. F. Gonzalez, "Clustering to minimize the
 * maximum intercluster distance", 1985), improved by a few rounds of k-means; two groups are joined
 * if their means are closer to each other than their members to the means. All arithmetic is on
 * integers and no choice is random, so that equal input has equal results on all machines. Cost:
 * O(count * width * number of groups).
 */
#ifndef FERMATA_VIEW_TIMELINE_CLUSTERS_H
#define FERMATA_VIEW_TIMELINE_CLUSTERS_H

#include <stdint.h>

/** Groups, in the order of their first members. */
struct fm_clusters {
    uint32_t count;
    uint32_t *of;      /**< [vector]: number of its group */
    uint32_t *typical; /**< [group]: the member closest to the mean; ties: the first */
    uint32_t *size;    /**< [group]: number of members */
};

/** Groups vectors. The distance of two vectors is the sum of the absolute differences of their
 * elements.
 * @param vectors    [count][width]
 * @param tolerance  no further group is added if the distance of each vector to its centre is at
 * most this
 * @param most       maximum number of groups, > 0
 * @return to be freed with fm_clusters_free() */
struct fm_clusters fm_clusters_find(const uint8_t *vectors, uint32_t count, uint32_t width,
                                    uint32_t tolerance, uint32_t most);

void fm_clusters_free(struct fm_clusters *clusters);

#endif
