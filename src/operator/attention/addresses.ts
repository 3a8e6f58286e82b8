/** Networks that have no free pay-in address, but for those that are not scanned: they are listed for that. */
import type { Facts, Waiting } from './waiting.ts';

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
