/** The signed promises of orders: no attacker who writes and seals rows shows a false address to a partner who checks. */
import type { Crowd } from '../people/crowd.ts';

export function wrongPromises({ stories }: Crowd): string[] {
	const byAddress = new Map<string, string>();
	return stories.flatMap(({ promises, id, payIn, toAddress, refundAddress, isForgotten }) =>
		promises.flatMap((promise) => {
			const { from, to, back } = promise;
			const terms = JSON.stringify([promise.id, from, to, back, promise.marginBps]);
			const place = `${from.network} ${from.address}`;
			const other = byAddress.get(place) ?? terms;
			byAddress.set(place, terms);
			const isAgreed = promise.id === id && to.address === toAddress && back.address === refundAddress;
			return [
				...(other === terms ? [] : [`${from.address} was promised on other terms: ${other} and ${terms}`]),
				...(isAgreed || isForgotten ? [] : [`the promise of ${id} is not what was agreed: ${terms}`]),
				...(payIn === from.address ? [] : [`${id} shows ${payIn} and promises ${from.address}`]),
			];
		}),
	);
}
