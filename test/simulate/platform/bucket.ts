/** The archive's bucket: an object is there or not, and is created once. */
import type { Owner, World } from '../world.ts';

/** Turns of the machine until a body that was read, or packed, has come through its streams. */
const STREAM_TURNS = 60;

export class SimulatedBucket {
	readonly objects: Map<string, Uint8Array>;
	readonly #world: World;

	constructor(world: World, saved: ReadonlyMap<string, Uint8Array> = new Map()) {
		this.#world = world;
		this.objects = new Map(saved);
	}

	binding(owner: Owner): object {
		const effect = <T>(kind: string, perform: () => T): Promise<T> =>
			this.#world.effect(owner, `r2 ${kind}`, () => {
				this.#world.turns = STREAM_TURNS;
				return perform();
			});
		const sized = (bytes: Uint8Array | undefined) => bytes && { size: bytes.length };
		return {
			put: (key: string, body: ArrayBuffer) =>
				effect('put', () => {
					if (this.objects.has(key)) return null;
					this.objects.set(key, new Uint8Array(body.slice(0)));
					return {};
				}),
			get: (key: string) =>
				effect('get', () => {
					const bytes = this.objects.get(key);
					return bytes ? { blob: async () => new PlainBlob([bytes]) } : null;
				}),
			head: (key: string) => effect('head', () => sized(this.objects.get(key)) ?? null),
			delete: (key: string) => effect('delete', () => void this.objects.delete(key)),
		};
	}
}

/** A Blob whose stream comes in the same turn. */
export class PlainBlob {
	readonly #bytes: Uint8Array;

	constructor(parts: readonly (string | Uint8Array)[]) {
		this.#bytes = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
	}

	async arrayBuffer(): Promise<ArrayBuffer> {
		return new Uint8Array(this.#bytes).buffer;
	}

	stream(): ReadableStream<Uint8Array> {
		const bytes = this.#bytes;
		return new ReadableStream({
			start(controller) {
				controller.enqueue(bytes);
				controller.close();
			},
		});
	}
}

/** Packs nothing: the machine packs on other threads, in an order that no seed fixes. */
export class PlainPacking extends TransformStream<Uint8Array, Uint8Array> {
	// biome-ignore lint/complexity/noUselessConstructor: the format that is asked for must not reach the stream.
	constructor() {
		super();
	}
}
