/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * An efficiency of accelerators that regards what multiprocessors share.
 *
 * Formula 4.3 (SM efficiency x warp efficiency) takes the work of a kernel as proportional to the
 * multiprocessors that are active and to the threads in a warp. That is right for a kernel that is
 * limited by the arithmetic units. One that is limited by what all multiprocessors share (memory,
 * caches, power) does the same work in a time however few of them are active: at the end of a
 * kernel, when some are idle already, the others are faster. Formula 4.3 then takes away too much
 * from the ranks with much work, and the imbalance is underestimated.
 *
 * The composite takes the rate of work as (active share)^b with an exponent 0 <= b <= 1 and adds it
 * up over the kernel:
 *
 *   composite = warp^b * integral over the kernel of (active multiprocessors / all)^b dt / time
 *
 * b = 1 is formula 4.3, b = 0 the measured time. b = 1 - throughput of the memory, of its peak, if
 * the profile states it; else 1/2. The number of active multiprocessors over time follows from the
 * active cycles of each one, if these are known; else the SM efficiency stands for all of the
 * kernel: composite = (SM efficiency x warp efficiency)^b.
 */
#ifndef FERMATA_IMBALANCE_MODEL_COMPOSITE_H
#define FERMATA_IMBALANCE_MODEL_COMPOSITE_H

#include "base/kernel_activity.h"
#include "imbalance/input/kernel_table.h"

/** @return the composite of a kernel, 0..1; NAN: its efficiencies are not known.
 * @param sm, warp  0..1; NAN: not known */
double fm_composite(const struct fm_kernel *kernel, double sm, double warp);

/** @return the imbalance of the composite as it follows from those of measured and adjusted loads
 * alone, all as fractions: the factors largest / average are interpolated geometrically. It is a
 * lower bound if one rank has the largest load of both (Hölder's inequality), and close to the
 * imbalance itself if the efficiencies of the ranks differ little. */
double fm_composite_imbalance(double measured, double adjusted, double exponent);

#endif
