/**
 * All chain families, as a Worker sees them that looks for no deposits: the signer, which has no code that scans, and
 * believes nothing that a scan found.
 */
import type { NetworkName } from '../catalog/networks.ts';
import { evmLook } from './evm/look.ts';
import { moneroLook } from './monero/look.ts';
import type { Look } from './port.ts';
import { type ChainEnv, type FamilyTable, madeBy } from './registry.ts';
import { solanaLook } from './solana/look.ts';
import { tronLook } from './tron/look.ts';
import { utxoLook } from './utxo/look.ts';
import { provenChain } from './utxo/proving.ts';
import type { Keeping } from './watching-port.ts';

const LOOKS: FamilyTable<{ readonly look: Look }, Keeping> = {
	utxo: (network, node, hotAddress, keeping) => utxoLook(network, node, keeping, { hotAddress, prove: provenChain }),
	evm: evmLook,
	solana: solanaLook,
	tron: tronLook,
	monero: moneroLook,
};

/** @throws TypeError for a network that this deployment does not run: callers check first. */
export function lookOf(env: ChainEnv, name: NetworkName, hotAddress: string, keeping: Keeping): Look {
	const made = madeBy(LOOKS, env, name, { hotAddress, given: keeping });
	return 'look' in made ? made.look : made;
}
