/**
 * Where each network runs, as the agents Worker tells it: the API Worker has no nodes. An isolate asks before its first call
 * goes on, and in the background when what it knows is older than half a minute.
 */
import { ConfigurationError } from '../crypto/key-ring.ts';
import { logError } from '../platform/log.ts';
import { within } from '../platform/within.ts';
import type { AgentsService } from '../ports/agents.ts';
import type { ChainConfiguration } from './configuration.ts';

const KNOWN_MILLISECONDS = 30_000;
/** Longest wait for the answer: calls and prices wait for it in a fresh isolate. */
const ANSWER_MILLISECONDS = 3_000;

interface Asking {
	readonly AGENTS: AgentsService;
}

interface Known {
	/** Unix milliseconds when it was last asked for. */
	askedAt: number;
	readonly variables: ChainConfiguration;
	/** By the environment that was given: none is made again for each call. */
	readonly made: WeakMap<object, object>;
}

let known: Known | null = null;

/**
 * The same environment, with the networks. A promise only where this isolate does not know them. @throws ConfigurationError
 * where the agents Worker does not answer
 */
export function withNetworks<Own extends Asking>(
	own: Own,
	background: (work: Promise<unknown>) => void,
): (Own & ChainConfiguration) | Promise<Own & ChainConfiguration> {
	if (known === null) return ask(own).then((asked) => madeOf(own, asked));
	if (Date.now() - known.askedAt > KNOWN_MILLISECONDS) {
		known.askedAt = Date.now();
		background(ask(own).catch((error) => logError('agents_not_asked', error)));
	}
	return madeOf(own, known);
}

async function ask({ AGENTS }: Asking): Promise<Known> {
	const askedAt = Date.now();
	try {
		const { variables } = await within(AGENTS.told(), ANSWER_MILLISECONDS, () => {
			throw new Error(`no answer within ${ANSWER_MILLISECONDS / 1000} s`);
		});
		// A copy: what an RPC answers would keep its call open.
		known = { askedAt, variables: { ...variables }, made: new WeakMap() };
		return known;
	} catch (error) {
		throw new ConfigurationError(`the agents Worker does not answer: npx exchange deploy agents api (${error})`);
	}
}

function madeOf<Own extends object>(own: Own, { variables, made }: Known): Own & ChainConfiguration {
	const there = made.get(own) ?? { ...variables, ...own };
	made.set(own, there);
	return there as Own & ChainConfiguration;
}
