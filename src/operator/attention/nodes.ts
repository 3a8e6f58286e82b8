/** Networks that were not scanned lately, whose polls fail one after the other, or that have no free pay-in address. */
import type { Facts, SharedCause, Waiting } from './waiting.ts';

/** A network is polled every few seconds, so an error that is older than this has passed. */
const RECENT_MILLISECONDS = 120_000;
/** A node that does not answer once or twice is asked again within seconds, and nobody is told. */
const FAILURES_IN_A_ROW = 3;

/** Where none is scanned, it is not their nodes. */
const NONE_SCANNED: Omit<SharedCause, 'of'> = {
	key: 'unscanned',
	cause: 'no network is scanned, so no order is taken',
	todo: '`network list` has the error of each; `doctor` says whether the Workers and their objects run',
};

export function waitingNodes({ networks, context: { now } }: Facts): Waiting[] {
	const on = networks.filter(({ mode }) => mode !== 'off');
	const isNoneScanned = on.length > 1 && on.every(({ answers }) => !answers);
	return on.flatMap((network): Waiting[] => {
		const { name, answers, lastScannedAt, lastError, lastErrorAt, failures } = network;
		const isRecent = lastErrorAt !== null && now - Date.parse(lastErrorAt) <= RECENT_MILLISECONDS;
		const isTold = isRecent && (failures === null || failures >= FAILURES_IN_A_ROW);
		if (answers && !isTold) return [];
		const error = lastError ?? 'no error is on record';
		const row = { area: 'network', subject: name } as const;
		const todo = `\`network check ${name}\` asks its nodes what is wrong`;
		if (answers) return [{ ...row, cause: `it is scanned, but: ${error}`, since: Date.parse(lastErrorAt ?? ''), todo }];
		const since = lastScannedAt === null ? null : Date.parse(lastScannedAt);
		const cause = `${since === null ? 'never scanned' : 'not scanned lately'}, so it takes no new orders: ${error}`;
		return [{ ...row, cause, since, todo, ...(isNoneScanned && { shared: { ...NONE_SCANNED, of: name } }) }];
	});
}

const NONE = 'no free pay-in address: orders that are paid there are refused (11)';
const UNKNOWN = 'its agent does not answer, so nobody knows how many pay-in addresses are free';

export const waitingAddresses = ({ networks }: Facts): Waiting[] =>
	networks
		.filter(({ mode, answers, freeAddresses }) => mode !== 'off' && answers && !freeAddresses)
		.map(({ name, freeAddresses, lastError }) => ({
			area: 'addresses',
			subject: name,
			cause: `${freeAddresses === null ? UNKNOWN : NONE}${lastError ? `; ${lastError}` : ''}`,
			todo: `nothing, once a poll of the network works: the stock is filled by itself; else \`network check ${name}\``,
		}));
