/** Which assets there are, and when a deposit is final: made from the rows of the catalog. Pure. */
import { type Asset, allAssets, isNative } from '../../catalog/assets.ts';
import { NETWORK_NAMES, type NetworkName, networkNamed } from '../../catalog/networks.ts';
import { filled, rows } from '../page/filled.ts';
import text from './assets.md';

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

export function assetsText(): string {
	const assets = allAssets();
	const { coins = [], tokens = [] } = Object.groupBy(assets, (asset) => (isNative(asset) ? 'coins' : 'tokens'));
	const cellsOf = ({ code, coin, network, decimals }: Asset) => [`\`${code}\``, coin, network, decimals];
	return filled(text, {
		assets: assets.length,
		networks: NETWORK_NAMES.length,
		finality: rows(NETWORK_NAMES.map((name) => [name, codesOf(name), ...confirmationsOf(name), explorerOf(name)])),
		coins: rows(coins.map(cellsOf)),
		tokens: rows(tokens.map((token) => [...cellsOf(token), `\`${token.contract}\``])),
	});
}
