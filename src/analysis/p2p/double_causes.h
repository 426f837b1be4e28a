/** @file
 * One exchange of messages that looks like two causes: a process that is late starts its send and
 * posts its receive right after one another, in whichever order its program has.
 */
#ifndef FERMATA_ANALYSIS_P2P_DOUBLE_CAUSES_H
#define FERMATA_ANALYSIS_P2P_DOUBLE_CAUSES_H

#include "analysis/model/findings.h"

/** Removes the Late Receiver of each call that has a Late Sender with the same causing location and
 * nearly the same t: earlier by at most 1/16 of the Late Sender's waiting time. Otherwise the order
 * of the requests decided the kind of the wait.
 * @param findings  whose candidates are sorted for the arbitration
 * @param location  of the findings */
void fm_findings_drop_doubles(struct fm_findings *findings, const struct fm_location *location);

#endif
