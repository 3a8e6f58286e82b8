/** The surface's table, outside the Workers runtime. */
export { SURFACE } from '../../src/app.ts';
