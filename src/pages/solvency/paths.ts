/** The files beside the page. Pure. */
export const FILE_PATH = '/solvency.json';
export const HEADS_PATH = '/solvency-heads.json';
