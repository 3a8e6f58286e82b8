/** Reads a signed Tron transaction as a node does: by field numbers alone, independent of the code that wrote it. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { hex } from '@scure/base';

/** Hashes of addresses are hex without version byte. */
export interface SignedTron {
	readonly txId: string;
	/** Who signed, in the order of the signatures; null where one is none. */
	readonly signers: readonly (string | null)[];
	/** 0: the owner's. */
	readonly permissionId: number;
	/** Of an update of the account's permissions. */
	readonly update: Permissions | null;
	readonly refBlock: string;
	readonly refHash: string;
	readonly expiration: number;
	readonly feeLimit: bigint;
	readonly kind: 'TransferContract' | 'TriggerSmartContract' | 'AccountPermissionUpdateContract' | null;
	readonly owner: string;
	readonly to: string;
	/** Sun. */
	readonly amount: bigint;
	readonly data: string;
	readonly bytes: number;
}

export interface Permission {
	readonly id: number;
	readonly name: string;
	readonly threshold: number;
	/** Hex. */
	readonly operations: string;
	readonly keys: readonly { readonly hash: string; readonly weight: number }[];
}

export interface Permissions {
	readonly owner: Permission;
	readonly actives: readonly Permission[];
}

type Field = bigint | Uint8Array;

const KINDS: Readonly<Record<string, SignedTron['kind']>> = {
	1: 'TransferContract',
	31: 'TriggerSmartContract',
	46: 'AccountPermissionUpdateContract',
};

/** All of each field, in their order. @throws RangeError on bytes that are no protobuf */
function allFieldsOf(bytes: Uint8Array): [field: number, value: Field][] {
	const fields: [number, Field][] = [];
	let at = 0;
	const varint = (): bigint => {
		let value = 0n;
		for (let shift = 0n; shift < 70n; shift += 7n) {
			const byte = bytes[at++];
			if (byte === undefined) break;
			value |= BigInt(byte & 0x7f) << shift;
			if (byte < 0x80) return value;
		}
		throw new RangeError('no varint');
	};
	while (at < bytes.length) {
		const tag = Number(varint());
		if (tag % 8 === 0) {
			fields.push([tag >> 3, varint()]);
			continue;
		}
		const length = Number(varint());
		if (tag % 8 !== 2 || at + length > bytes.length) throw new RangeError('no protobuf');
		fields.push([tag >> 3, bytes.subarray(at, at + length)]);
		at += length;
	}
	return fields;
}

/** The last of each field. @throws RangeError as `allFieldsOf` */
const fieldsOf = (bytes: Uint8Array): Map<number, Field> => new Map(allFieldsOf(bytes));

const listOf = (bytes: Uint8Array, field: number): Uint8Array[] =>
	allFieldsOf(bytes).flatMap(([at, value]) => (at === field && typeof value !== 'bigint' ? [value] : []));

const number = (fields: Map<number, Field>, field: number): bigint => {
	const value = fields.get(field) ?? 0n;
	if (typeof value !== 'bigint') throw new RangeError(`field ${field} is no number`);
	return value;
};

const bytesOf = (fields: Map<number, Field>, field: number): Uint8Array => {
	const value = fields.get(field) ?? new Uint8Array();
	if (typeof value === 'bigint') throw new RangeError(`field ${field} is no bytes`);
	return value;
};

const hashIn = (fields: Map<number, Field>, field: number): string => hex.encode(bytesOf(fields, field).subarray(1));

/** @throws RangeError on what is no transaction */
export function readSigned(text: string): SignedTron {
	const all = hex.decode(text);
	const signed = fieldsOf(all);
	const raw = bytesOf(signed, 1);
	const rawFields = fieldsOf(raw);
	const contract = fieldsOf(bytesOf(rawFields, 11));
	const body = bytesOf(fieldsOf(bytesOf(contract, 2)), 2);
	const value = fieldsOf(body);
	const kind = KINDS[String(number(contract, 1))] ?? null;
	const isTransfer = kind === 'TransferContract';
	return {
		txId: hex.encode(sha256(raw)),
		signers: listOf(all, 2).map((signature) => signerOf(sha256(raw), signature)),
		permissionId: Number(number(contract, 5)),
		update:
			kind === 'AccountPermissionUpdateContract'
				? { owner: permissionIn(bytesOf(value, 2)), actives: listOf(body, 4).map(permissionIn) }
				: null,
		refBlock: hex.encode(bytesOf(rawFields, 1)),
		refHash: hex.encode(bytesOf(rawFields, 4)),
		expiration: Number(number(rawFields, 8)),
		feeLimit: number(rawFields, 18),
		kind,
		owner: hashIn(value, 1),
		to: hashIn(value, 2),
		amount: kind === 'AccountPermissionUpdateContract' ? 0n : number(value, 3),
		data: isTransfer ? '' : hex.encode(bytesOf(value, 4)),
		bytes: all.length,
	};
}

function permissionIn(bytes: Uint8Array): Permission {
	const fields = fieldsOf(bytes);
	return {
		id: Number(number(fields, 2)),
		name: new TextDecoder().decode(bytesOf(fields, 3)),
		threshold: Number(number(fields, 4)),
		operations: hex.encode(bytesOf(fields, 6)),
		keys: listOf(bytes, 7).map((key) => {
			const of = fieldsOf(key);
			return { hash: hashIn(of, 1), weight: Number(number(of, 2)) };
		}),
	};
}

function signerOf(hash: Uint8Array, signature: Uint8Array): string | null {
	try {
		const recovery = (signature[64] ?? 0) % 27;
		const parsed = secp256k1.Signature.fromBytes(signature.subarray(0, 64), 'compact').addRecoveryBit(recovery);
		const point = parsed.recoverPublicKey(hash).toBytes(false);
		return hex.encode(keccak_256(point.subarray(1)).subarray(12));
	} catch {
		return null;
	}
}
