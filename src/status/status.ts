/** The state of now as the status page shows it: nothing that is anybody's secret. */

export const PRICES = 'Prices';
/** How far back the page shows. */
export const KEPT_DAYS = 90;
/** How far back the speeds reach, and the subject that stands for all networks. */
export const SPEED_DAYS = 30;
export const ALL = 'All';
