/**
 * The hot wallet's key where two judges pay: both make each signature together, by FROST (RFC 9591) for ed25519, 2 of 2. For the
 * signer only.
 *
 * Each judge has an ordinary key of ed25519, and the wallet's public key is the sum of the two. RFC 9591 leaves open how the
 * shares are made. These lie on the line that has the sum at 0: half of the signer's key at 1, the co-signer's negated at 2. So
 * nothing is exchanged but public keys, and nothing is kept but the seeds. Who chose a key after seeing the other one could make
 * the sum a key of theirs alone; so each public key comes with a signature of its own.
 *
 * Nonces are random, live in memory alone, and are good for one signature: a second one with the same would give the key away.
 */
import { ed25519, ed25519_FROST as FROST } from '@noble/curves/ed25519.js';
import { base58, hex } from '@scure/base';
import { ConfigurationError } from '../../crypto/key-ring.ts';
import { PaymentImpossible } from '../errors.ts';
import type { Judges } from '../judge-keys.ts';
import { solanaAddress } from './address.ts';
import { judgeKey } from './keys.ts';
import { signedBy } from './text-signature.ts';

const { Point } = ed25519;
const { Fn } = Point;
const IDS = { signer: FROST.Identifier.fromNumber(1), cosigner: FROST.Identifier.fromNumber(2) } as const;
const HALF = Fn.inv(2n);
const POINT_BYTES = 32;

export interface SharedKey {
	/** The hot wallet's address. */
	readonly address: string;
	/** For one signature, with fresh nonces. */
	begin(): OneSignature;
}

/** One judge's part of one signature. Commitments and shares are hexadecimal. Each method throws where it was used before. */
export interface OneSignature {
	readonly commitment: string;
	/** This judge's share, once the other one's commitment is known. @throws PaymentImpossible where that is none */
	share(message: Uint8Array, theirs: string): string;
	/** The whole signature, by the other judge's commitment and share. @throws PaymentImpossible where these are wrong */
	whole(message: Uint8Array, theirs: { readonly commitment: string; readonly share: string }): Uint8Array;
}

const proofText = (address: string): string => `Partner Exchange judge of Solana: ${address}`;

/** The judge's public key, with the signature that it knows the private one. */
export function judgeText(seed: Uint8Array): string {
	const { address, privateKey } = judgeKey(seed);
	return `${address} ${base58.encode(ed25519.sign(new TextEncoder().encode(proofText(address)), privateKey))}`;
}

/** @throws ConfigurationError where the other judge's text is none, or this judge's own */
function otherPoint(text: string, own: string) {
	const [address = '', signature = ''] = text.split(' ');
	if (address === own) throw new ConfigurationError('OTHER_JUDGE_SOLANA is this judge’s own key');
	if (signedBy({ address, message: proofText(address), signature }) !== 'all')
		throw new ConfigurationError('OTHER_JUDGE_SOLANA has not signed that it is a key');
	return Point.fromBytes(base58.decode(address));
}

export function sharedKey(seed: Uint8Array, { role, other }: Pick<Judges, 'role' | 'other'>): SharedKey {
	const { address, privateKey } = judgeKey(seed);
	const { point, scalar } = ed25519.utils.getExtendedPublicKey(privateKey);
	const theirs = otherPoint(other.hot, address);
	const [first, second] = role === 'signer' ? [point, theirs] : [theirs, point];
	const sum = first.add(second);
	const atOne = first.multiply(HALF);
	const group = {
		signers: { min: 2, max: 2 },
		commitments: [sum, atOne.subtract(sum)].map((each) => each.toBytes()),
		verifyingShares: { [IDS.signer]: atOne.toBytes(), [IDS.cosigner]: second.negate().toBytes() },
	};
	const [own, otherId] = role === 'signer' ? [IDS.signer, IDS.cosigner] : [IDS.cosigner, IDS.signer];
	const signingShare = Fn.toBytes(role === 'signer' ? Fn.mul(Fn.create(scalar), HALF) : Fn.neg(Fn.create(scalar)));
	const secret = { identifier: own, signingShare };

	function begin(): OneSignature {
		const { nonces, commitments } = FROST.commit(secret);
		const both = (text: string) => [commitments, commitmentsOf(otherId, text)];
		const shareOf = (message: Uint8Array, list: ReturnType<typeof both>) =>
			FROST.signShare(secret, group, nonces, list, message);
		return {
			commitment: hex.encode(Uint8Array.from([...commitments.hiding, ...commitments.binding])),
			share: (message, text) => hex.encode(ofOther(() => shareOf(message, both(text)))),
			whole: (message, { commitment, share }) =>
				ofOther(() => {
					const list = both(commitment);
					const shared = hex.decode(share);
					if (!FROST.verifyShare(group, list, message, otherId, shared))
						throw new PaymentImpossible('the co-signer’s share of the signature is wrong');
					const shares = { [own]: shareOf(message, list), [otherId]: shared };
					const signature = FROST.aggregate(group, list, message, shares);
					if (!ed25519.verify(signature, message, sum.toBytes())) throw new TypeError('a signature that does not hold');
					return signature;
				}),
		};
	}
	return { address: solanaAddress(sum.toBytes()), begin };
}

function commitmentsOf(identifier: string, text: string) {
	const bytes = hex.decode(text);
	return { identifier, hiding: bytes.slice(0, POINT_BYTES), binding: bytes.slice(POINT_BYTES) };
}

/** The library throws an `Error` for each point and number of the other judge that is none. */
function ofOther<T>(make: () => T): T {
	try {
		return make();
	} catch (error) {
		if (error instanceof PaymentImpossible || !(error instanceof Error)) throw error;
		throw new PaymentImpossible(`the other judge’s part of the signature: ${error.message}`);
	}
}
