/**
 * What a Worker's code finds as globals, in the simulated world: its clock, its timers, its randomness, and a WebCrypto
 * that answers in the same turn (the platform's answers from threads, in an order that no seed fixes).
 */
import {
	createCipheriv,
	createDecipheriv,
	createHash,
	createHmac,
	createPublicKey,
	timingSafeEqual,
	verify,
} from 'node:crypto';
import type { World } from '../world.ts';
import { PlainBlob, PlainPacking } from './bucket.ts';

export interface Globals {
	readonly Date: DateConstructor;
	readonly crypto: Crypto;
	readonly fetch: typeof fetch;
	readonly setTimeout: (run: () => void, milliseconds?: number) => number;
	readonly clearTimeout: (timer: number) => void;
	readonly setInterval: (run: () => void, milliseconds: number) => number;
	readonly clearInterval: (timer: number) => void;
	readonly AbortSignal: object;
	readonly console: object;
	readonly Math: Math;
	readonly Blob: unknown;
	readonly CompressionStream: unknown;
	readonly DecompressionStream: unknown;
}

interface Around {
	readonly isAlive: () => boolean;
	/** Milliseconds by which its clock is off. */
	readonly skew: number;
	fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
	print(line: string): void;
}

export function globalsOf(world: World, isolate: Around): Globals {
	const timers = new Set<number>();
	let count = 0;
	const startTimer = (run: () => void, milliseconds: number, again: boolean): number => {
		const timer = ++count;
		timers.add(timer);
		const tick = () => {
			if (!timers.has(timer) || !isolate.isAlive()) return;
			if (again) world.after(milliseconds, tick);
			else timers.delete(timer);
			run();
		};
		world.after(milliseconds, tick);
		return timer;
	};
	const print = (...words: unknown[]) => isolate.print(words.map(String).join(' '));
	return {
		Date: dateOf(() => world.now + isolate.skew),
		crypto: cryptoOf(world),
		fetch: ((input: string, init?: RequestInit) => isolate.fetch(input, init)) as typeof fetch,
		setTimeout: (run, milliseconds = 0) => startTimer(run, milliseconds, false),
		clearTimeout: (timer) => void timers.delete(timer),
		setInterval: (run, milliseconds) => startTimer(run, milliseconds, true),
		clearInterval: (timer) => void timers.delete(timer),
		AbortSignal: {
			any: (signals: AbortSignal[]) => AbortSignal.any(signals),
			timeout(milliseconds: number) {
				const controller = new AbortController();
				world.after(milliseconds, () => controller.abort(new DOMException('timed out', 'TimeoutError')));
				return controller.signal;
			},
		},
		Blob: PlainBlob,
		CompressionStream: PlainPacking,
		DecompressionStream: PlainPacking,
		Math: Object.assign(Object.create(Math), { random: () => world.random.next() }),
		console: { log: print, error: print, warn: print, info: print, debug: print },
	};
}

function dateOf(now: () => number): DateConstructor {
	class WorldDate extends Date {
		constructor(...given: []) {
			super(...(given.length === 0 ? ([Math.floor(now())] as unknown as []) : given));
		}
		static override now(): number {
			return Math.floor(now());
		}
	}
	return WorldDate as unknown as DateConstructor;
}

interface Sealing {
	readonly iv: BufferSource;
	readonly additionalData?: BufferSource;
}

interface Key {
	readonly bytes: Buffer;
	readonly algorithm: string;
}

const TAG_BYTES = 16;
const bytesOf = (source: ArrayBuffer | ArrayBufferView): Buffer =>
	ArrayBuffer.isView(source) ? Buffer.from(source.buffer, source.byteOffset, source.byteLength) : Buffer.from(source);
const own = (buffer: Buffer): ArrayBuffer => new Uint8Array(buffer).buffer;
const hashName = (name: string): string => name.toLowerCase().replace('-', '');

/** Of a passkey, with SHA-256: both numbers side by side. */
function holdsOnP256({ bytes }: Key, signature: Buffer, data: Buffer): boolean {
	const key = createPublicKey({ key: bytes, format: 'der', type: 'spki' });
	return verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature);
}

/** The methods that the service uses; any other is missing, and says so by name. */
function cryptoOf(world: World): Crypto {
	const sign = (key: Key, data: BufferSource) => createHmac('sha256', key.bytes).update(bytesOf(data)).digest();
	const subtle = {
		importKey: async (_: string, data: BufferSource, algorithm: string | { name: string }): Promise<Key> => ({
			bytes: Buffer.from(bytesOf(data)),
			algorithm: typeof algorithm === 'string' ? algorithm : algorithm.name,
		}),
		digest: async (algorithm: string, data: BufferSource) =>
			own(createHash(hashName(algorithm)).update(bytesOf(data)).digest()),
		sign: async (_: string, key: Key, data: BufferSource) => own(sign(key, data)),
		verify: async (_: unknown, key: Key, signature: BufferSource, data: BufferSource) => {
			if (key.algorithm === 'ECDSA') return holdsOnP256(key, bytesOf(signature), bytesOf(data));
			const [given, right] = [bytesOf(signature), sign(key, data)];
			return given.length === right.length && timingSafeEqual(given, right);
		},
		async encrypt({ iv, additionalData }: Sealing, key: Key, data: BufferSource) {
			const cipher = createCipheriv('aes-256-gcm', key.bytes, bytesOf(iv));
			if (additionalData) cipher.setAAD(bytesOf(additionalData));
			return own(Buffer.concat([cipher.update(bytesOf(data)), cipher.final(), cipher.getAuthTag()]));
		},
		async decrypt({ iv, additionalData }: Sealing, key: Key, data: BufferSource) {
			const bytes = bytesOf(data);
			const decipher = createDecipheriv('aes-256-gcm', key.bytes, bytesOf(iv));
			if (additionalData) decipher.setAAD(bytesOf(additionalData));
			decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
			return own(Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]));
		},
		timingSafeEqual: (one: BufferSource, other: BufferSource) => timingSafeEqual(bytesOf(one), bytesOf(other)),
	};
	const getRandomValues = <T extends ArrayBufferView>(into: T): T => {
		world.random.bytes(new Uint8Array(into.buffer, into.byteOffset, into.byteLength));
		return into;
	};
	const randomUUID = () => {
		const hex = Buffer.from(getRandomValues(new Uint8Array(16))).toString('hex');
		return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
	};
	return { subtle, getRandomValues, randomUUID } as unknown as Crypto;
}
