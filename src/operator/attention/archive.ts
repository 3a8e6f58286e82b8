/** The archive is on, and there is nothing to archive to. */
import type { Facts, Waiting } from './waiting.ts';

export async function waitingArchive({ context: { env }, settings }: Facts): Promise<Waiting[]> {
	if (!settings.archiveAfterDays || env.ARCHIVE) return [];
	return [
		{
			area: 'switch',
			subject: 'archive',
			cause: 'finished orders are to be archived, and the operator Worker has no bucket ARCHIVE: none is',
			since: null,
			amount: null,
			usd: null,
			todo: 'bind the bucket in src/operator/wrangler.toml and deploy with `npx wrangler deploy -c src/operator/wrangler.toml`, or `site update --archive-after-days none`',
		},
	];
}
