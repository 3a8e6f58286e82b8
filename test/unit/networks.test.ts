/** The rows of the networks. `@ts-expect-error` fails to compile where a wrong row is accepted. */
import { expect, it } from 'vitest';
import type { NetworkRow } from '../../src/catalog/networks/row.ts';
import { NETWORKS, networkNamed } from '../../src/catalog/networks.ts';

it('a row without its family’s parameters, or with another family’s, does not compile', () => {
	const { params, ...bare } = NETWORKS.BSC;
	const { chainId, ...incomplete } = params;
	const rows: NetworkRow[] = [
		{ ...bare, params },
		// @ts-expect-error the parameters are missing
		bare,
		// @ts-expect-error one parameter is missing
		{ ...bare, params: incomplete },
		// @ts-expect-error these are a UTXO network's
		{ ...bare, params: NETWORKS.Bitcoin.params },
		// @ts-expect-error there is no such family
		{ ...bare, family: 'another', params },
	];
	expect(rows).toHaveLength(5);
	expect(chainId).toBe(56);
});

it('a network is known by its name, with the parameters of its family', () => {
	expect(networkNamed('Ethereum').params.chainId).toBe(1);
	for (const [name, network] of Object.entries(NETWORKS)) expect(network.name).toBe(name);
});
