/** The guide: Markdown that every OpenAPI viewer shows, and that the page at `/docs` shows first. */
import { ERROR_TABLE } from './errors.ts';
import { LIMITS, OVERVIEW, VERSIONING } from './overview.ts';
import { SIGNING } from './signing.ts';
import { STATES } from './states.ts';
import { WEBHOOKS } from './webhooks.ts';

const CHAPTERS = [OVERVIEW, SIGNING, LIMITS, ERROR_TABLE, STATES, WEBHOOKS, VERSIONING];

export const GUIDE = CHAPTERS.map((lines) => lines.join('\n')).join('\n\n');
