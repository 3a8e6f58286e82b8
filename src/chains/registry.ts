/**
 * The only place that knows all families. A network becomes a `Chain` or, in the signer Worker alone, a `ChainSigner`,
 * by its family and by what it runs on. Signing code is behind functions, so that it stays out of the API's bundle.
 */
import { type Family, type Network, type NetworkName, networkNamed } from '../catalog/networks.ts';
import { type ChainConfiguration, type NetworkMode, networkMode } from './configuration.ts';
import { isEvmAddress } from './evm/address.ts';
import { evmChain } from './evm/family.ts';
import { hotAddress as evmHotAddress, payInAddress as evmPayInAddress } from './evm/keys.ts';
import { evmSigner } from './evm/signing.ts';
import { isMoneroAddress, withoutPaymentId } from './monero/address.ts';
import { moneroChain } from './monero/family.ts';
import { hotAddress as moneroHotAddress, payInAddress as moneroPayInAddress } from './monero/keys.ts';
import { moneroNode, moneroSigningNode } from './monero/node.ts';
import { moneroSigner } from './monero/signing.ts';
import type { Chain } from './port.ts';
import { sandboxChain } from './sandbox/family.ts';
import type { SandboxLedger } from './sandbox/ledger.ts';
import { type SandboxKeys, sandboxSigner } from './sandbox/signing.ts';
import type { ChainSigner } from './signing-port.ts';
import { isSolanaAddress } from './solana/address.ts';
import { solanaChain } from './solana/family.ts';
import { hotAddress as solanaHotAddress, payInAddress as solanaPayInAddress } from './solana/keys.ts';
import { solanaSigner } from './solana/signing.ts';
import { isTronAddress } from './tron/address.ts';
import { tronChain } from './tron/family.ts';
import { hotAddress as tronHotAddress, payInAddress as tronPayInAddress } from './tron/keys.ts';
import { tronSigner } from './tron/signing.ts';
import { comparable, isUnpayable } from './unpayable.ts';
import { isUtxoAddress } from './utxo/address.ts';
import { utxoChain } from './utxo/family.ts';
import { hotAddress as utxoHotAddress, payInAddress as utxoPayInAddress } from './utxo/keys.ts';
import { utxoParams } from './utxo/params.ts';
import { utxoSigner } from './utxo/signing.ts';

export interface ChainEnv extends ChainConfiguration {
	readonly SANDBOX_LEDGER: DurableObjectNamespace<SandboxLedger>;
}

type OnNodes = Extract<NetworkMode, { on: 'nodes' }>;

interface FamilyRow {
	isAddress(network: Network, chain: 'main' | 'regtest', text: string): boolean;
	/** Of an accepted address, the text that all its forms share; absent where only letter case can differ. */
	plainForm?(text: string): string;
	chain(network: Network, node: OnNodes, hotAddress: string, configuration: ChainConfiguration): Chain;
}

interface SigningFamilyRow {
	keys(network: Network, seed: Uint8Array): SandboxKeys;
	signer(network: Network, node: OnNodes, seed: Uint8Array, configuration: ChainConfiguration): ChainSigner;
}

const FAMILIES: Record<Family, FamilyRow> = {
	utxo: {
		isAddress: (network, chain, text) => isUtxoAddress(text, utxoParams(network, chain)),
		chain: (network, node, hotAddress) => utxoChain(network, node, hotAddress),
	},
	evm: {
		isAddress: (_network, _chain, text) => isEvmAddress(text),
		chain: (network, { urls, chain }, hotAddress) => evmChain(network, { urls, chain, hotAddress }),
	},
	solana: {
		isAddress: (_network, _chain, text) => isSolanaAddress(text),
		chain: (network, node, hotAddress) => solanaChain(network, { ...node, hotAddress }),
	},
	tron: {
		isAddress: (_network, _chain, text) => isTronAddress(text),
		chain: (network, { urls, chain }, hotAddress) => tronChain(network, { urls, chain, hotAddress }),
	},
	monero: {
		isAddress: (_network, _chain, text) => isMoneroAddress(text),
		plainForm: withoutPaymentId,
		chain: (network, node, hotAddress, configuration) =>
			moneroChain(network, moneroNode(node, configuration), hotAddress),
	},
};

const signingFamilies = (): Record<Family, SigningFamilyRow> => ({
	utxo: {
		keys: (network, seed) => ({
			payInAddress: (index) => utxoPayInAddress(seed, utxoParams(network, 'main'), index),
			hotAddress: () => utxoHotAddress(seed, utxoParams(network, 'main')),
		}),
		signer: (network, node, seed) => utxoSigner(network, node, seed),
	},
	evm: {
		keys: (_network, seed) => ({
			payInAddress: (index) => evmPayInAddress(seed, index),
			hotAddress: () => evmHotAddress(seed),
		}),
		signer: (network, { urls, chain }, seed) => evmSigner(network, { urls, chain }, seed),
	},
	solana: {
		keys: (_network, seed) => ({
			payInAddress: (index) => solanaPayInAddress(seed, index),
			hotAddress: () => solanaHotAddress(seed),
		}),
		signer: (network, node, seed) => solanaSigner(network, node, seed),
	},
	tron: {
		keys: (_network, seed) => ({
			payInAddress: (index) => tronPayInAddress(seed, index),
			hotAddress: () => tronHotAddress(seed),
		}),
		signer: (network, { urls, chain }, seed) => tronSigner(network, { urls, chain }, seed),
	},
	monero: {
		keys: (_network, seed) => ({
			payInAddress: (index) => moneroPayInAddress(seed, index),
			hotAddress: () => moneroHotAddress(seed),
		}),
		signer: (network, node, seed, configuration) => moneroSigner(network, moneroSigningNode(node, configuration), seed),
	},
});

/**
 * May payouts and refunds on this network go to `text`? False for what would be lost there (`unpayable.ts`), and on a
 * network that this deployment does not run.
 */
export function isAddressOn(configuration: ChainConfiguration, name: NetworkName, text: string): boolean {
	const mode = networkMode(configuration, name);
	const network = networkNamed(name);
	const chain = mode?.on === 'nodes' ? mode.chain : 'main';
	return mode !== null && FAMILIES[network.family].isAddress(network, chain, text) && !isUnpayable(text);
}

/** Do two accepted addresses of this network name the same recipient, however they are written? */
export function isSameAddressOn(name: NetworkName, one: string, other: string): boolean {
	const { plainForm = comparable } = FAMILIES[networkNamed(name).family];
	return plainForm(one) === plainForm(other);
}

/** @throws TypeError for a network that this deployment does not run: whoever asks has checked. */
export function chainOf(env: ChainEnv, name: NetworkName, hotAddress: string): Chain {
	const { mode, network } = running(env, name);
	if (mode.on === 'nodes') return FAMILIES[network.family].chain(network, mode, hotAddress, env);
	return sandboxChain(name, env.SANDBOX_LEDGER.getByName(name), (text) => isAddressOn(env, name, text));
}

/** `seed`: BIP-39 seed. @throws TypeError for a network that this deployment does not run. */
export function signerOf(env: ChainEnv, name: NetworkName, seed: Uint8Array): ChainSigner {
	const { mode, network } = running(env, name);
	const family = signingFamilies()[network.family];
	if (mode.on === 'nodes') return family.signer(network, mode, seed, env);
	return sandboxSigner(network.family, env.SANDBOX_LEDGER.getByName(name), family.keys(network, seed));
}

function running(configuration: ChainConfiguration, name: NetworkName): { mode: NetworkMode; network: Network } {
	const mode = networkMode(configuration, name);
	if (!mode) throw new TypeError(`${name} runs on neither nodes nor the sandbox`);
	return { mode, network: networkNamed(name) };
}
