/** What must hold of the link to a signer in a house of its own. */
import type { Crowd } from '../people/crowd.ts';

export function wrongCalls({ service }: Crowd): string[] {
	const twice = [...service.executed].filter(([, times]) => times > 1).length;
	const { houseAnswers, believed } = service;
	return [
		...(twice > 0 ? [`${twice} calls of the link were executed twice`] : []),
		...(houseAnswers !== null && believed > houseAnswers
			? ['the link believed an answer to another call than its own']
			: []),
	];
}
