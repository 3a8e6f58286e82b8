/** Monero's two wallet programs, asked about in production: none, the operator's own, or containers of the wallets Worker. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IN_CONTAINER } from '../../../chains/configuration.ts';
import { DAY_MILLISECONDS } from '../../../platform/time.ts';
import { MONERO_WALLETS, type MoneroWallets } from './options.ts';
import { Stopped, type Talk, Wrong } from './talk.ts';
import { ROOT } from './wrangler.ts';

export interface Monero {
	readonly wallets: MoneroWallets;
	/** The block that the first Monero of this wallet cannot have come before; of containers alone. */
	readonly restoreHeight?: string;
}

/** A block whose day is known: the fork of August 2022 (getmonero.org, "Scheduled software upgrades"). */
const KNOWN = { height: 2_688_888, at: Date.UTC(2022, 7, 13) };
const BLOCKS_PER_DAY = 720;
/** Blocks come a little faster or slower than that. */
const MARGIN_DAYS = 30;

const ABOUT = `Monero pays with two wallet programs. They run on machines of yours (own), or in Cloudflare Containers, for about
10 US dollars a month (containers). With none there is no Monero for now.`;
const QUESTION = "Monero's wallets: none, own or containers? [none]";

export async function askForMonero(talk: Talk, given: MoneroWallets | undefined): Promise<Monero> {
	if (!given) talk.say(ABOUT);
	const wallets = given ? walletsNamed(given) : await talk.ask(QUESTION, walletsNamed);
	if (wallets instanceof Wrong) throw new Stopped(wallets.why);
	if (wallets !== 'containers') return { wallets };
	const usual = String(heightBefore(Date.now()));
	const restoreHeight = await talk.ask(
		`The block that the first Monero of this wallet cannot have come before? [${usual}]`,
		(answer) => (/^\d{0,9}$/.test(answer) ? answer || usual : new Wrong('A whole number: the height of a block.')),
	);
	return { wallets, restoreHeight };
}

function walletsNamed(answer: string): MoneroWallets | Wrong {
	const wallets = MONERO_WALLETS.find((name) => name === (answer.toLowerCase() || 'none'));
	if (!wallets) return new Wrong(`${answer} is none of ${MONERO_WALLETS.join(', ')}.`);
	return wallets === 'containers' && !isDockerThere()
		? new Wrong('Docker does not run on this machine, and the image is built with it: start it, or answer none or own.')
		: wallets;
}

/** As wrangler looks for it. */
const isDockerThere = (): boolean =>
	spawnSync(process.env['WRANGLER_DOCKER_BIN'] || 'docker', ['info'], { stdio: 'ignore' }).status === 0;

/** A height that a wallet made now has certainly no coin below. */
const heightBefore = (now: number): number =>
	KNOWN.height + Math.floor((now - KNOWN.at) / DAY_MILLISECONDS - MARGIN_DAYS) * BLOCKS_PER_DAY;

/** Secrets of the signer. The height is one, so that no tracked file has it. */
export const moneroSecrets = (monero: Monero | null): Readonly<Record<string, string>> =>
	monero?.wallets === 'containers'
		? {
				MONERO_WALLET_URL: IN_CONTAINER,
				MONERO_COLD_WALLET_URL: IN_CONTAINER,
				MONERO_RESTORE_HEIGHT: monero.restoreHeight ?? '0',
			}
		: {};

/** A binding of the signer to the wallets Worker, by which one knows that it has them. */
export const WALLET_BINDING = 'MONERO_WALLET';

/** The signer's configuration with its bindings to the wallets Worker. */
export const withWallets = (text: string): string =>
	`${text}\n${readFileSync(join(ROOT, 'src/signer/wallets/bindings.toml'), 'utf8')}`;
