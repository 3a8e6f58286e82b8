/**
 * OrderStream: one Durable Object for each order that somebody watches. It holds the open streams and says in each that
 * the order has changed; what it is now, the page then reads. It learns of changes from OrderWatch, where it registers
 * while it has streams. It stores nothing, not even an alarm: a thousand open pages would write all the time. Where it is
 * restarted its streams break, and their clients open new ones.
 */
import { DurableObject } from 'cloudflare:workers';
import type { Env } from '../env.ts';
import { logError } from '../log.ts';
import { objectNamed } from '../region.ts';
import { type OrderStreamRpc, type StreamRequest, WATCH_MILLISECONDS } from './rpc.ts';

const HEARTBEAT_MILLISECONDS = 20_000;
const BEATS_PER_WATCH = WATCH_MILLISECONDS / HEARTBEAT_MILLISECONDS;
/** A stream ends after this long; its client opens the next one. */
const LIFE_MILLISECONDS = 300_000;
const MAX_STREAMS = 50;
const MAX_STREAMS_OF_NETWORK = 10;

interface Stream {
	readonly controller: ReadableByteStreamController;
	readonly network: string;
	/** Unix milliseconds. */
	readonly openedAt: number;
}

/** The page compares the id with the version that it shows. */
const changeEvent = (version: string): string => `id: ${version}\nevent: change\ndata: ${version}\n\n`;
const HEARTBEAT = ':\n\n';
/** Told to browsers that reconnect by themselves. */
const HELLO = 'retry: 2000\n\n';

export class OrderStream extends DurableObject<Env> implements OrderStreamRpc {
	readonly #streams = new Set<Stream>();
	#timer: ReturnType<typeof setInterval> | null = null;
	#beats = 0;
	#orderId = '';
	#version = '';

	async open({ orderId, version, seen, network }: StreamRequest): Promise<ReadableStream<Uint8Array> | null> {
		this.#orderId = orderId;
		if (this.#streams.size === 0) {
			this.#version = version;
			if (!(await this.#watch())) return null;
		}
		// No await from here on: the count holds.
		const ofNetwork = [...this.#streams].filter((stream) => stream.network === network).length;
		if (this.#streams.size >= MAX_STREAMS || ofNetwork >= MAX_STREAMS_OF_NETWORK) return null;
		const stream = this.#stream(network, version === seen ? [HELLO] : [HELLO, changeEvent(version)]);
		this.#timer ??= setInterval(() => this.#beat(Date.now()), HEARTBEAT_MILLISECONDS);
		return stream;
	}

	async changed(version: string): Promise<boolean> {
		this.#version = version;
		for (const stream of this.#streams) this.#say(stream, changeEvent(version));
		return this.#streams.size > 0;
	}

	#stream(network: string, first: readonly string[]): ReadableStream<Uint8Array> {
		let own: Stream | null = null;
		return new ReadableStream({
			type: 'bytes',
			start: (controller) => {
				own = { controller: controller as ReadableByteStreamController, network, openedAt: Date.now() };
				this.#streams.add(own);
				for (const event of first) this.#say(own, event);
			},
			cancel: () => {
				if (own) this.#streams.delete(own);
			},
		});
	}

	/** Ends what is old, tells the others that it lives, and registers again. Without a stream nothing runs any more. */
	#beat(now: number): void {
		for (const stream of this.#streams) {
			if (now - stream.openedAt < LIFE_MILLISECONDS) this.#say(stream, HEARTBEAT);
			else this.#end(stream);
		}
		if (this.#streams.size === 0) {
			if (this.#timer !== null) clearInterval(this.#timer);
			this.#timer = null;
		} else if (++this.#beats % BEATS_PER_WATCH === 0) this.ctx.waitUntil(this.#watch());
	}

	/** False where it is not watched: the page polls instead. */
	async #watch(): Promise<boolean> {
		try {
			return await objectNamed(this.env, this.env.ORDER_WATCH, 'watch').watch(this.#orderId, this.#version);
		} catch (error) {
			logError('order_not_watched', error, { orderId: this.#orderId });
			return false;
		}
	}

	#say(stream: Stream, event: string): void {
		try {
			// Bytes of its own: a stream takes the buffer with it.
			stream.controller.enqueue(new TextEncoder().encode(event));
		} catch {
			// Its client has gone.
			this.#streams.delete(stream);
		}
	}

	#end(stream: Stream): void {
		this.#streams.delete(stream);
		try {
			stream.controller.close();
		} catch {
			// Its client went first.
		}
	}
}
