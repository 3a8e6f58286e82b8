/** Has the isolates of a workerd collect their garbage, as a debugger can (Chrome DevTools Protocol). */
import { setTimeout as sleep } from 'node:timers/promises';

interface Target {
	readonly webSocketDebuggerUrl: string;
}

/** What a debugger hears: the answer to a request of its own, or, without an id, what the isolate tells it. */
interface Message {
	readonly id?: number;
	readonly error?: unknown;
}

const COLLECT = { id: 1, method: 'HeapProfiler.collectGarbage' };
/** workerd's words for a call whose answer was neither disposed of nor handed on as data. */
const LEFT_OPEN = 'An RPC result was not disposed properly';

/**
 * An isolate answers when it next runs something: one that has not within `milliseconds` makes no garbage.
 * @throws when the port has no isolate, and what one says is wrong: that it cannot, or that something was left open
 */
export async function collectGarbage(inspectorPort: number, milliseconds: number): Promise<void> {
	const targets = (await (await fetch(`http://127.0.0.1:${inspectorPort}/json/list`)).json()) as readonly Target[];
	if (targets.length === 0) throw new Error('no isolate to collect the garbage of');
	const late = sleep(milliseconds);
	await Promise.all(targets.map(({ webSocketDebuggerUrl }) => collectOne(webSocketDebuggerUrl, late)));
}

async function collectOne(url: string, late: Promise<unknown>): Promise<void> {
	const socket = new WebSocket(url);
	const collected = new Promise<void>((resolve, reject) => {
		socket.addEventListener('error', () => reject(new Error(`no answer from ${url}`)));
		socket.addEventListener('open', () => socket.send(JSON.stringify(COLLECT)));
		socket.addEventListener('message', ({ data }) => {
			const { id, error }: Message = JSON.parse(String(data));
			if (error || String(data).includes(LEFT_OPEN)) reject(new Error(`${url} says: ${data}`));
			else if (id === COLLECT.id) resolve();
		});
	});
	await Promise.race([collected, late]).finally(() => socket.close());
}
