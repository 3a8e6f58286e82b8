/**
 * `npm run guard`: makes the signer's account on Tron need both judges (book: cosigner, "Tron"). It asks both first, says what
 * it would send, and sends it with `-- --send`. SEED is the signer's.
 */
import { networkNamed } from '../catalog/networks.ts';
import { type ChainConfiguration, networkMode } from '../chains/configuration.ts';
import { type JudgeVariables, judgesOf } from '../chains/judges.ts';
import { seedOf } from '../chains/seed.ts';
import { guarding } from '../chains/tron/guarding.ts';
import { type CosignerEnd, cosignerOf } from '../link/cosigner.ts';
import { orExit } from './running.ts';

/** The signer's variables, as far as they matter here. */
export type GuardEnv = ChainConfiguration & JudgeVariables & CosignerEnd & { readonly SEED?: string };

const WAIT_MILLISECONDS = 3_000;
const MOST_WAITS = 40;

/** One line each. @throws Error, one line, before anything is sent */
export async function guard(env: GuardEnv, isSent: boolean, say: (line: string) => void): Promise<void> {
	const network = networkNamed('Tron');
	const mode = networkMode(env, 'Tron');
	const judges = judgesOf(env, 'Tron');
	const cosigner = cosignerOf(env);
	if (mode?.on !== 'nodes') throw new Error('NODE_URL_TRON is not set');
	if (!judges || !cosigner) throw new Error('COSIGNED does not name Tron');
	const { account, keys, update, send, problem } = await guarding(network, mode, await seedOf(env.SEED), judges);
	const said = (await cosigner.identify('guard')).networks.find((each) => each.network === 'Tron');
	if (!said?.isCosigned) throw new Error('the co-signer does not co-sign Tron: set its COSIGNED');
	if (said.keys?.hot !== judges.other.hot) throw new Error('the co-signer has another key than OTHER_JUDGE_TRON says');
	if (said.hotAddress !== account)
		throw new Error(`the co-signer takes ${said.hotAddress} for the account: set its OTHER_JUDGE_TRON`);
	say(`account ${account}, keys ${keys.join(' and ')}; both judges answer and know both`);
	if (!update) return say('the account needs both already');
	say(`transaction ${update.txId} takes up to ${update.sun} sun: ${update.raw}`);
	say('without one of the two seeds nobody ever spends what the account holds: write both down first');
	if (!isSent) return say('nothing is sent: `npm run guard -- --send` sends it');
	await send();
	for (let waits = 0; waits < MOST_WAITS; waits++) {
		const left = await problem();
		if (left === null) return say('the node says: the account needs both');
		await new Promise((wait) => setTimeout(wait, WAIT_MILLISECONDS));
	}
	throw new Error(`the node does not say so yet: look for ${update.txId}, and run this again`);
}

if (import.meta.main) orExit(guard(process.env as GuardEnv, process.argv.includes('--send'), console.log));
