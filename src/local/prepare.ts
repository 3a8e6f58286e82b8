/** The last step of `npm ci`: makes ahead what every start needs and what is the same at each. */
import { readMigrations } from './migrate.ts';
import { workerSources } from './workers.ts';

await Promise.all([workerSources(), readMigrations()]);
