/** Which assets there are, and when a deposit is final: made from the rows of the catalog. Pure. */
import { allAssets, isNative } from '../../catalog/assets.ts';
import { NETWORK_NAMES, type NetworkName, networkNamed } from '../../catalog/networks.ts';

type Row = ReturnType<typeof networkNamed>['confirmations'][number];

const TAGS = { finalized: 'the network calls the block final', chainlock: 'a ChainLock' } as const;
/** Parted by a space at which no line breaks. */
const thousands = (amount: number): string => String(amount).replaceAll(/\B(?=(\d{3})+$)/g, '\u00a0');

/** "2 blocks", "15 blocks and the network calls the block final". */
function depthText({ blocks, tag }: Row): string {
	const count = blocks === 1 ? '1 block' : `${blocks} blocks`;
	return tag ? `${count} and ${TAGS[tag]}` : count;
}

/** Blocks times the average time of a block, rounded up. With a tag it may take longer. */
function timeText(blocks: number, blockSeconds: number, isLonger: boolean): string {
	const seconds = Math.ceil(blocks * blockSeconds);
	const text = seconds < 60 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
	return isLonger ? `${text} or more` : `about ${text}`;
}

function confirmationsOf(name: NetworkName): string[] {
	const { confirmations, blockSeconds } = networkNamed(name);
	const tiers = [...new Set(confirmations.map(({ aboveUsd }) => aboveUsd))].toSorted((a, b) => a - b);
	const cells = tiers.map((tier) => {
		const rows = confirmations.filter(({ aboveUsd }) => aboveUsd === tier);
		const above = tier === 0 ? '' : `above ${thousands(tier)}\u00a0USD: `;
		const quickest = rows.toSorted((a, b) => a.blocks - b.blocks)[0];
		const time = quickest ? timeText(quickest.blocks, blockSeconds, quickest.tag !== undefined) : '';
		return [`${above}${rows.map(depthText).join(', or ')}`, `${above}${time}`] as const;
	});
	return [cells.map(([depth]) => depth).join('; '), cells.map(([, time]) => time).join('; ')];
}

const explorerOf = (name: NetworkName): string => new URL(networkNamed(name).explorer.replace('{}', '')).host;

const codesOf = (name: NetworkName): string =>
	allAssets()
		.filter(({ network }) => network === name)
		.map(({ code }) => `\`${code}\``)
		.join(', ');

export function assetsChapter() {
	const assets = allAssets();
	const text = [
		'# Assets, confirmations and times',
		'',
		`${assets.length} assets on ${NETWORK_NAMES.length} networks. What is offered right now is what \`currencies\` and \`pairs\` return.`,
		'',
		'## When a deposit is final',
		'',
		'| Network | Assets | Final after | That takes | Explorer |',
		'|---|---|---|---|---|',
		...NETWORK_NAMES.map(
			(name) => `| ${[name, codesOf(name), ...confirmationsOf(name), explorerOf(name)].join(' | ')} |`,
		),
		'',
		'- The block that holds the deposit is the first one. Times are averages of the network; a single block can take several',
		'  times as long.',
		'- The value that decides is that of the live price.',
		'- The payout is sent at once when the deposit is final. How long your user then waits is up to the other network and to',
		'  their wallet.',
		'',
		'## Native coins',
		'',
		'| Asset | Coin | Network | Decimals |',
		'|---|---|---|---|',
		...assets
			.filter(isNative)
			.map(({ code, coin, network, decimals }) => `| \`${code}\` | ${coin} | ${network} | ${decimals} |`),
		'',
		'## Tokens',
		'',
		'A token is its contract. Another contract of the same name is another token, and is not credited.',
		'',
		'| Asset | Token | Network | Decimals | Contract or mint |',
		'|---|---|---|---|---|',
		...assets
			.filter((asset) => !isNative(asset))
			.map(
				({ code, coin, network, decimals, contract }) =>
					`| \`${code}\` | ${coin} | ${network} | ${decimals} | \`${contract}\` |`,
			),
		'',
		'`precision` of an asset in `currencies` is its decimals, at most 8: amounts that you send may have so many places.',
	].join('\n');
	return {
		name: 'assets',
		title: 'Assets, confirmations and times',
		summary: 'Every asset with its network, contract, confirmations and usual minutes.',
		text,
	};
}
