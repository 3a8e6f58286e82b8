/**
 * The shape of a network's row: what all networks have, and per family the parameters that its code needs. Pure
 * types.
 */

/**
 * One way for a deposit to become final. Among a network's rows, those with the highest `aboveUsd` that the deposit's
 * value exceeds form its tier. One fulfilled row of that tier is enough.
 */
export interface Confirmations {
	/** Applies to deposits worth more than this many USD; 0: to all. */
	readonly aboveUsd: number;
	/** Blocks on top, the deposit's own included. */
	readonly blocks: number;
	/**
	 * The node must also call the block irreversible: the `finalized` block tag or commitment, Tron's solidified block, or
	 * Dash's ChainLock.
	 */
	readonly tag?: 'finalized' | 'chainlock';
	/** How long the node usually takes to call a block that, seconds, where it takes longer than the blocks do. */
	readonly tagSeconds?: number;
}

interface CommonRow {
	readonly name: string;
	/** Average time between blocks, seconds. */
	readonly blockSeconds: number;
	/** Time between two polls of the agent, seconds. */
	readonly pollSeconds: number;
	readonly confirmations: readonly Confirmations[];
	/** Explorer page of a transaction; `{}` stands for its id. */
	readonly explorer: string;
}

/** Address formats differ between a network's main chain and its test chains. */
interface UtxoAddressParams {
	/** Human-readable part of segwit addresses (BIP173); null where the network has none. */
	readonly hrp: string | null;
	/** Version byte of base58check addresses that pay to a key. */
	readonly p2pkh: number;
	/** Version bytes of base58check addresses that pay to a script: all that are accepted. */
	readonly p2sh: readonly number[];
}

/** Sources: each project's chainparams and dust rules, SLIP-0044 (coin types), BIP44 and BIP84 (our own scripts). */
export interface UtxoNetworkParams extends UtxoAddressParams {
	/** SLIP-0044. */
	readonly coinType: number;
	/**
	 * Script of our own addresses: p2wpkh on BIP84 paths, p2pkh on BIP44 paths; of two keys, p2wsh and p2sh on BIP48 paths,
	 * where a co-signer signs too.
	 */
	readonly ownScript: 'p2wpkh' | 'p2wsh' | 'p2pkh' | 'p2sh';
	/** Hash of the main chain's first block: a node that names another one is on another chain. */
	readonly genesis: string;
	/**
	 * The function of a header that has to be small. X11 names Dash's blocks as well (the others' names are SHA-256d), and
	 * no library here computes it.
	 */
	readonly work: 'sha256d' | 'scrypt' | 'x11';
	/** Smallest output that nodes relay, base units: the strictest script kind's limit, for all kinds. */
	readonly dust: bigint;
	/** Lowest and highest fee rate that we pay, base units per 1000 vB. */
	readonly minFeeRate: bigint;
	readonly maxFeeRate: bigint;
	/**
	 * No transaction pays more than this, base units. It is enough for the largest transaction that we build, at the
	 * lowest rate.
	 */
	readonly maxFee: bigint;
	/** Do nodes let a higher fee replace a transaction that signals it (BIP125)? Dash's never do. */
	readonly replaceable: boolean;
	readonly regtest: UtxoAddressParams;
}

/**
 * Chain ids come from EIP-155's list. Floors are what each network's nodes enforce. Ceilings are the most that we ever
 * pay.
 */
export interface EvmNetworkParams {
	/** EIP-155. */
	readonly chainId: number;
	/** Bounds of maxPriorityFeePerGas (EIP-1559), wei per gas. */
	readonly minTip: bigint;
	readonly maxTip: bigint;
	/** Bounds of maxFeePerGas, wei per gas. Above the ceiling nothing is signed: payouts wait for cheaper blocks. */
	readonly minFeePerGas: bigint;
	readonly maxFeePerGas: bigint;
	/** The most gas that paying a recipient may take. A payment that needs more is refused. */
	readonly maxGas: bigint;
	/** The same for moving a token. */
	readonly maxTokenGas: bigint;
	/** An OP Stack chain: a transaction also pays for its data on Ethereum, in addition to its gas. */
	readonly paysL1Fee: boolean;
}

/** Id of the main chain's first block: a node that names another one is on another chain. */
interface GenesisParams {
	readonly genesis: string;
}

interface MoneroNetworkParams {
	/** monerod's name of the chain that it is on (`nettype` of `get_info`). */
	readonly nettype: { readonly main: string; readonly regtest: string };
}

/** A row without its family's parameters does not compile. */
export type NetworkRow = CommonRow &
	(
		| { readonly family: 'utxo'; readonly params: UtxoNetworkParams }
		| { readonly family: 'evm'; readonly params: EvmNetworkParams }
		| { readonly family: 'solana'; readonly params: GenesisParams }
		| { readonly family: 'tron'; readonly params: GenesisParams }
		| { readonly family: 'monero'; readonly params: MoneroNetworkParams }
	);
