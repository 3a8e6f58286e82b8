/** How `operator network check` asks a family's nodes. It never throws because of what a node says. */
import type { NodeConfig } from './configuration.ts';
import type { NetworkCheck } from './port.ts';

/** Each configured node by itself. Of its URL only the host is shown, because the rest may contain credentials. */
export async function eachNode(
	node: NodeConfig,
	check: (one: NodeConfig, host: string) => Promise<readonly NetworkCheck[]>,
): Promise<NetworkCheck[]> {
	const checks = node.urls.map((url) => check({ ...node, urls: [url] }, new URL(url).host));
	return (await Promise.all(checks)).flat();
}

/** `ask`: is all well, and what did the node say? */
export async function checked(
	what: string,
	ask: () => Promise<readonly [ok: boolean, detail: string]>,
): Promise<NetworkCheck> {
	try {
		const [ok, detail] = await ask();
		return { what, ok, detail };
	} catch (error) {
		return { what, ok: false, detail: error instanceof Error ? error.message : String(error) };
	}
}
