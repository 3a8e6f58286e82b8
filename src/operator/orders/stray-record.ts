/** A stray as operators read it. */
import { assetOf } from '../../catalog/assets.ts';
import type { StrayRow } from '../../treasury/strays/table.ts';
import { isoTime } from '../shown.ts';
import { coins } from './record.ts';

export const strayRecord = ({ network, address, asset, counted, taken, waits, toAddress, foundAt }: StrayRow) => ({
	...{ network, asset: assetOf(asset).code, address },
	...{ came: coins(asset, counted), returned: coins(asset, taken) },
	...{ waits, to: toAddress, foundAt: isoTime(foundAt) },
});
