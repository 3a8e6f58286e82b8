/** The agents Worker as it is deployed, which counts what it asks of the platform. Its own handler takes the events so far. */
import * as worker from '../../../src/agents/index.ts';
import { countedObject } from './bindings.ts';
import { takeEvents } from './counter.ts';

export { Agents } from '../../../src/agents/index.ts';
export const ChainAgent = countedObject('ChainAgent', worker.ChainAgent);

export default { fetch: () => Response.json(takeEvents()) };
