/** The archive is on, and a Worker has no bucket to archive to. */
import type { Facts, Waiting } from './waiting.ts';

const OPERATOR = {
	sort: 'operator',
	who: 'the operator Worker',
	todo: 'bind the bucket in src/operator/wrangler.toml and deploy with `npx exchange deploy operator`',
};
const API = {
	sort: 'api',
	who: 'the API Worker',
	todo: 'bind the bucket in wrangler.toml and deploy with `npx exchange deploy api`',
};

export async function waitingArchive({ context: { env, deployment }, settings }: Facts): Promise<Waiting[]> {
	if (!settings.archiveAfterDays) return [];
	const lacks = [...(env.ARCHIVE ? [] : [OPERATOR]), ...(deployment?.api.hasArchive === false ? [API] : [])];
	return lacks.map(({ sort, who, todo }) => ({
		area: 'switch',
		subject: 'archive',
		sort,
		cause: `finished orders are to be archived, and ${who} has no bucket ARCHIVE: none is`,
		todo: `${todo}, or \`site update --archive-after-days none\``,
	}));
}
