/** The signer as it is deployed, which counts what it asks of the platform. Its own handler takes the events so far. */
import * as worker from '../../../src/signer/index.ts';
import { countedEnv, countedObject } from './bindings.ts';
import { takeEvents } from './counter.ts';

export {
	JournalVolume,
	SandboxLedger,
	SandboxPrices,
} from '../../../src/signer/index.ts';
export const Vault = countedObject('Vault', worker.Vault);

export class Signer extends worker.Signer {
	constructor(ctx: ExecutionContext, env: ConstructorParameters<typeof worker.Signer>[1]) {
		super(ctx, countedEnv(env));
	}
}

export default { fetch: () => Response.json(takeEvents()) };
