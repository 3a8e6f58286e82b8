/**
 * A block of each main chain from which the signer proves all later ones: the newest that the coin's own Core takes for
 * granted (`defaultAssumeValid`). Move them on with a release: the first start reads every header from here. Pure data.
 */
export interface Checkpoint {
	readonly height: number;
	readonly hash: string;
}

export const CHECKPOINTS = {
	/** Bitcoin Core 31. */
	sha256d: { height: 938_343, hash: '00000000000000000000ccebd6d74d9194d8dcdc1d177c478e094bfad51ba5ac' },
	/** Litecoin Core 0.21.5. */
	scrypt: { height: 2_772_730, hash: '80cdb35c080484df5bf384b311fde3c4694d3405765bc0f596e9eb369ff286e5' },
} as const satisfies Record<string, Checkpoint>;
