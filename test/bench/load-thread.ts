/**
 * The load generator: a fixed number of keep-alive connections, each with one request under way at a time (no
 * pipelining), over bare sockets in a thread of its own. Every answer is read and judged; the first one that is not
 * what a client wants ends the run.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { parentPort } from 'node:worker_threads';
import { ENOUGH, type Load, type LoadAnswer, type LoadResult } from './load.ts';
import { requestsOf } from './traffic.ts';

const CONNECTIONS = 32;
const HEAD_END = '\r\n\r\n';

/** Set when a run is to end before its time. */
let isEnough = false;

async function run(load: Load): Promise<LoadResult> {
	isEnough = false;
	const { port, traffic, connections = CONNECTIONS } = load;
	const isWanted = wantedOf(traffic);
	const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
	const utilisation = performance.eventLoopUtilization();
	const started = performance.now();
	const isOver = (sent: number) => isEnough || sent >= load.atMost || performance.now() - started >= load.milliseconds;
	const failing = Promise.withResolvers<never>();
	const asking = sockets.map((socket) => askerOf(socket, traffic, isWanted, failing.reject));
	const asked = { next: requestsOf(traffic), isOver };
	try {
		const driven = load.ratePerSecond ? paced(asking, asked, load.ratePerSecond) : unpaced(asking, asked);
		const { answered, latencies } = await Promise.race([driven, failing.promise]);
		const seconds = (performance.now() - started) / 1000;
		return { answered, seconds, latencies, busy: performance.eventLoopUtilization(utilisation).utilization };
	} finally {
		for (const socket of sockets) socket.removeAllListeners('close').destroy();
	}
}

/** Sends a request on its connection; then calls back, once the answer is there. */
type Ask = (request: string, then: () => void) => void;

function askerOf(
	socket: Socket,
	{ kind }: Load['traffic'],
	isWanted: (answer: string) => boolean,
	failed: (error: Error) => void,
): Ask {
	const answer = new Answer();
	let then = () => {};
	socket.on('error', failed);
	socket.on('close', () => failed(new Error('the connection was closed')));
	socket.on('data', (chunk: Buffer) => {
		const text = answer.add(chunk);
		if (text === null) return;
		if (isWanted(text)) then();
		else failed(new Error(`${kind} call refused: ${text}`));
	});
	return (request, answered) => {
		then = answered;
		socket.write(request, 'latin1');
	};
}

interface Asked {
	readonly next: () => string;
	readonly isOver: (sent: number) => boolean;
}

type Driven = Promise<Pick<LoadResult, 'answered' | 'latencies'>>;

/** Each connection asks as soon as it has its answer. */
async function unpaced(asking: readonly Ask[], { next, isOver }: Asked): Driven {
	let [sent, answered] = [0, 0];
	const drive = (ask: Ask) =>
		new Promise<void>((done) => {
			const askNext = () => {
				if (isOver(sent)) return done();
				sent++;
				ask(next(), () => {
					answered++;
					askNext();
				});
			};
			askNext();
		});
	await Promise.all(asking.map(drive));
	return { answered, latencies: [] };
}

/**
 * Requests are due at fixed times, whatever the answers do. One that finds no connection free waits for one, and its wait
 * counts: a service that stands still for a while is late with all that was due meanwhile.
 */
async function paced(asking: readonly Ask[], { next, isOver }: Asked, ratePerSecond: number): Driven {
	const [free, waiting, latencies] = [[...asking], [] as number[], [] as number[]];
	const started = performance.now();
	let due = 0;
	const { promise: ended, resolve: end } = Promise.withResolvers<void>();

	const sendWaiting = () => {
		while (waiting.length > 0) {
			const ask = free.shift();
			if (!ask) return;
			const dueAt = waiting.shift() ?? 0;
			ask(next(), () => {
				latencies.push(performance.now() - dueAt);
				free.push(ask);
				sendWaiting();
			});
		}
	};
	const tick = () => {
		const now = performance.now();
		const isLast = isOver(due);
		// The timer's own lateness is not the service's: what is due counts from now.
		for (; !isLast && due < ((now - started) / 1000) * ratePerSecond; due++) waiting.push(now);
		sendWaiting();
		if (isLast && latencies.length === due) end();
		else setTimeout(tick, 1);
	};
	tick();
	await ended;
	return { answered: latencies.length, latencies };
}

async function open(port: number): Promise<Socket> {
	const socket = connect({ port, host: '127.0.0.1', noDelay: true });
	await once(socket, 'connect');
	return socket;
}

/** Long enough to see what an answer is; the rest of a body is counted. */
const READ_BYTES = 4_096;

/** One answer after the other, as their bytes arrive. */
class Answer {
	#text = '';
	#bytes = 0;
	#wanted: number | null = null;

	/** The answer's head and the begin of its body, once all of it is there; null before. */
	add(chunk: Buffer): string | null {
		this.#bytes += chunk.length;
		if (this.#text.length < READ_BYTES) this.#text += chunk.toString('latin1');
		this.#wanted ??= bytesOf(this.#text);
		if (this.#wanted === null || this.#bytes < this.#wanted) return null;
		const text = this.#text;
		[this.#text, this.#bytes, this.#wanted] = ['', 0, null];
		return text;
	}
}

/** Of head and body; null before the head is there. */
function bytesOf(text: string): number | null {
	const headEnd = text.indexOf(HEAD_END);
	if (headEnd < 0) return null;
	const head = text.slice(0, headEnd);
	const length = head.startsWith('HTTP/1.1 304 ') ? '0' : /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
	if (length === undefined) throw new Error(`an answer without a length: ${text}`);
	return headEnd + HEAD_END.length + Number(length);
}

const isOk = (answer: string): boolean => answer.startsWith('HTTP/1.1 200 ');
const isCodeZero = (answer: string): boolean => isOk(answer) && answer.includes(`${HEAD_END}{"code":0,`);

function wantedOf(traffic: Load['traffic']): (answer: string) => boolean {
	if (traffic.kind === 'hello') return isOk;
	if (traffic.kind !== 'get') return isCodeZero;
	return traffic.ifNoneMatch === undefined ? isOk : (answer) => answer.startsWith('HTTP/1.1 304 ');
}

parentPort?.on('message', (message: Load | typeof ENOUGH) => {
	if (message === ENOUGH) {
		isEnough = true;
		return;
	}
	run(message).then(
		(result) => parentPort?.postMessage({ result } satisfies LoadAnswer),
		(error) => parentPort?.postMessage({ failed: String(error) } satisfies LoadAnswer),
	);
});
