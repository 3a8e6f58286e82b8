/**
 * The R2 bucket that finished orders move to. The configuration files do not name it, because an account may have no R2: a
 * deployment binds it wherever the account has it.
 */
import type { Account } from './account.ts';
import type { Place } from './places.ts';
import type { Memory } from './remembered.ts';
import type { Talk } from './talk.ts';

/** Null: later. A bucket in the European Union needs a jurisdiction of its own, which is made by hand. */
export async function askForArchive(
	account: Account,
	talk: Talk,
	memory: Memory,
	place: Place | null,
): Promise<boolean | null> {
	const { archive } = memory.known;
	if (archive !== undefined) return archive;
	if (place && 'jurisdiction' in place.database) return null;
	const answer = await account.call('GET', 'r2/buckets?per_page=1');
	if (!answer.ok) {
		talk.say(
			`R2 is off in this account, or the login may not see it. Without it finished orders stay in D1, whose 10 GB cannot be raised. To have it, open https://dash.cloudflare.com/${account.id}/r2/overview, then run setup again.`,
		);
		return null;
	}
	const wanted = await talk.confirm(
		'Move finished orders to R2 after 90 days? A thousand cost less than a cent a month.',
	);
	memory.keep({ archive: wanted });
	return wanted;
}

/** False too where the login may not see it. */
export const hasBucket = async (account: Account, name: string): Promise<boolean> =>
	(await account.call('GET', `r2/buckets/${name}`)).ok;
