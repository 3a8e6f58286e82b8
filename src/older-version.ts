/** During a deployment a Worker or an object may run an older version than the one that asks it. Pure. */

/** What the platform says of a method that who is asked does not have. `error`: what it threw, or its text. */
export const lacksMethod = (error: unknown): boolean => /does not implement the method/.test(String(error));
