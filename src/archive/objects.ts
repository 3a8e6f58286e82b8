/**
 * Batches of archived orders as objects in R2. An object's name contains the SHA-256 of its lines, and D1 has a seal over
 * that name, so an object that was changed, or a row that was forged, is never read as an order.
 *
 * Writing is safe to repeat: the same orders make the same lines and the same name, and an object is created once.
 */
import { type SealClaim, type SealKeys, seal, sealHolds } from '../crypto/seals.ts';
import { sha256Hex } from '../crypto/tokens.ts';
import { type ArchivedOrder, linesOf } from './record.ts';
import type { ArchivedBatch } from './table.ts';

/** The object is missing, or is not the one that was written. */
export class UnreadableArchive extends Error {}

export interface StoredObject {
	readonly object: string;
	/** As it is stored, compressed. */
	readonly bytes: number;
}

/** `day`: of the orders, and not of the writing. @throws where R2 does not answer, or what it has is something else */
export async function writeObject(
	bucket: R2Bucket,
	orders: readonly ArchivedOrder[],
	day: string,
): Promise<StoredObject> {
	const lines = linesOf(orders);
	const object = `orders/${day}/${await sha256Hex(lines)}.jsonl.gz`;
	// An array and not a stream: R2 must know the length.
	const packed = await through(new Blob([lines]), new CompressionStream('gzip')).arrayBuffer();
	await bucket.put(object, packed, { onlyIf: { etagDoesNotMatch: '*' } });
	// Rows are deleted after this, so what is there now is read back, also where another run wrote it.
	await readText(bucket, object);
	const stored = await bucket.head(object);
	return { object, bytes: stored?.size ?? packed.byteLength };
}

/** @throws where the object is missing, is not what its name says, or the batch's seal does not hold */
export async function readLines(
	bucket: R2Bucket | undefined,
	keys: SealKeys,
	batch: Pick<ArchivedBatch, 'number' | 'object' | 'seal' | 'at'>,
): Promise<string> {
	if (!bucket) throw new Error('there are archived orders, and no bucket is bound as ARCHIVE');
	if (!(await sealHolds(keys, batchClaim(batch))))
		throw new UnreadableArchive(`the seal of archived batch ${batch.number} is broken`);
	return readText(bucket, batch.object);
}

async function readText(bucket: R2Bucket, object: string): Promise<string> {
	const stored = await bucket.get(object);
	if (!stored) throw new UnreadableArchive(`the archive has no object ${object}`);
	const text = await through(await stored.blob(), new DecompressionStream('gzip')).text();
	if (!object.endsWith(`/${await sha256Hex(text)}.jsonl.gz`))
		throw new UnreadableArchive(`archived object ${object} was changed`);
	return text;
}

const through = (blob: Blob, transform: CompressionStream | DecompressionStream): Response =>
	new Response(blob.stream().pipeThrough(transform));

type BatchTerms = Pick<ArchivedBatch, 'number' | 'object'>;

const batchText = ({ number, object }: BatchTerms): string => JSON.stringify(['archive', number, object]);

export const sealBatch = (keys: SealKeys, batch: BatchTerms): Promise<string> => seal(keys, batchText(batch));

/** A previous key is valid only for batches that are older than its replacement. */
export const batchClaim = (batch: BatchTerms & Pick<ArchivedBatch, 'seal' | 'at'>): SealClaim => ({
	text: batchText(batch),
	at: batch.at,
	sealed: batch.seal,
});
