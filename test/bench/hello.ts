/**
 * Hello world: the least that a Worker can do, in a workerd of its own, served like the service by workerd's socket.
 */
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { freePort } from '../../src/local/ports.ts';
import type { LocalOptions } from '../../src/local/service.ts';

export interface Hello {
	readonly port: number;
	stop(): Promise<void>;
}

/** `inspector`: where debuggers find its isolates. */
export async function startHello(inspector: Pick<LocalOptions, 'inspectorPort'> = {}): Promise<Hello> {
	const port = await freePort();
	const miniflare = new Miniflare(
		convertV4MiniflareOptions({
			...inspector,
			workers: [
				{
					name: 'hello',
					modules: true,
					script: "export default { fetch: () => new Response('hello') };",
					compatibilityDate: '2026-11-01',
					unsafeDirectSockets: [{ host: '127.0.0.1', port }],
				},
			],
		}),
	);
	await miniflare.ready;
	return { port, stop: () => miniflare.dispose() };
}
