/** The state of now as the status page shows it: nothing that is anybody's secret. */

export const PRICES = 'Prices';
/** How far back the page shows. */
export const KEPT_DAYS = 90;
