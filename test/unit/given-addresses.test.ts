/** Setup asks whether typed words make the wallet, by an address that was given out. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { ownAddresses } from '../../src/chains/signing-registry.ts';
import { utxoJudgeKeys, utxoKeys } from '../../src/chains/utxo/keys.ts';
import { utxoParams } from '../../src/chains/utxo/params.ts';
import { newestGivenAddress } from '../../src/operator/cli/setup/wallet.ts';

const seedOf = (name: string): Uint8Array => createHash('sha512').update(name).digest();
const [SEED, OTHER] = [seedOf('signer'), seedOf('co-signer')];

test('an address that two seeds make is passed over, because the words of one cannot make it', async () => {
	const shared = (['Bitcoin', 'Litecoin', 'Dash'] as const).map((network) => {
		const params = utxoParams(NETWORKS[network], 'main');
		const judges = { role: 'signer', isCosigned: true, other: utxoJudgeKeys(OTHER, params, true) } as const;
		return { network, address: utxoKeys(SEED, params, judges).payIn(0).address };
	});
	const own = { network: 'Ethereum', address: ownAddresses('Ethereum', SEED).payInAddress(0) };
	const results = [...shared, own].map((row, at) => ({ id: `order ${at}`, payInIndex: 0, ...row }));
	const account = { call: async () => ({ ok: true, result: [{ results }] }) };
	const given = await newestGivenAddress(account as never, 'database');
	expect(given).toMatchObject({ orderId: 'order 3', network: 'Ethereum' });
	expect([SEED, OTHER].map((seed) => given?.isMadeBy(seed))).toEqual([true, false]);
});
