/** A network's hot wallet stays the one that it began with (book: cosigner). */
import { expect, it } from 'vitest';
import type { SignerEnv } from '../../src/signer/env.ts';
import { sameHot } from '../../src/signer/hot-wallet.ts';
import { Journal } from '../../src/signer/journal/journal.ts';
import { keysOf } from '../../src/signer/keys.ts';
import type { Wiring } from '../../src/signer/wiring.ts';
import { sqliteStorage } from '../support/sqlite-storage.ts';

const [FIRST, OTHER] = [`${'abandon '.repeat(11)}about`, `${'zoo '.repeat(11)}wrong`];
const ON_NODES = { NODE_URL_ETHEREUM: 'http://127.0.0.1:1', NODE_CHAIN_ETHEREUM: 'regtest' };
const journal = new Journal(sqliteStorage());

async function signerWith(SEED: string, more: Readonly<Record<string, string>>) {
	const env = { SEED, SANDBOX: 'on', ...more } as unknown as SignerEnv;
	const keys = keysOf(env, () => ({}) as never);
	await keys.derive();
	return { env, wiring: { journal, keys } as Wiring };
}

it('nothing is signed on nodes under another SEED than the one that made the first addresses, until it is put back', async () => {
	const first = await signerWith(FIRST, ON_NODES);
	const hot = sameHot(first.env, first.wiring, 'Ethereum');
	journal.addresses.rememberHot('Ethereum', hot ?? '');
	const other = await signerWith(OTHER, ON_NODES);
	journal.addresses.rememberHot('Ethereum', other.wiring.keys.on('Ethereum').hotAddress());
	expect(() => sameHot(other.env, other.wiring, 'Ethereum')).toThrow(`the hot wallet of Ethereum was ${hot}`);
	expect(sameHot(first.env, first.wiring, 'Ethereum')).toBe(hot);
});

it('on the sandbox another SEED may come', async () => {
	const { env, wiring } = await signerWith(OTHER, {});
	expect(sameHot(env, wiring, 'Ethereum')).toBeNull();
});
