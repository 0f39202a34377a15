/* SPDX-License-Identifier: Apache-2.0 */
/* Of the bootstrap of what is told of each treatment by its runs. */
#ifndef SL_EXPERIMENT_MEANS_H
#define SL_EXPERIMENT_MEANS_H

enum {
    SL_MEANS_ROUNDS = 1000,
    SL_MEANS_FEW = 5 /* runs on either side, below which no interval is given: the few say too little of each other */
};

#endif
