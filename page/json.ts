// SPDX-License-Identifier: Apache-2.0
// What specifications are made of.
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Spec = { [key: string]: Json };

export const isObject = (x: Json | undefined): x is Spec => typeof x === "object" && x !== null && !Array.isArray(x);
