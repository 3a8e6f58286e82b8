/** Addresses that nobody else has: who is paid is seen on the ledgers. */
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58, bech32, hex } from '@scure/base';
import type { Random } from '../../cast/random.ts';
import { addressOf } from '../../support/tron-abi.ts';
import type { networksOf } from '../settings.ts';

type Network = ReturnType<typeof networksOf>[number];

const bytes = (random: Random, count: number): Uint8Array => {
	const made = new Uint8Array(count);
	random.bytes(made);
	return made;
};

const MAKE: Readonly<Record<Network, (random: Random) => string>> = {
	Litecoin: (random) => bech32.encode('ltc', [0, ...bech32.toWords(bytes(random, 20))]),
	Ethereum: (random) => `0x${hex.encode(bytes(random, 20))}`,
	Tron: (random) => addressOf(hex.encode(bytes(random, 20))),
	Solana: (random) => base58.encode(ed25519.getPublicKey(bytes(random, 32))),
};

export const newAddress = (network: string, random: Random): string => MAKE[network as Network](random);
