/** Looks, before anything is asked, shown or deployed, for what an account may lack although its login and plan are right. */
import { type Account, must } from './account.ts';
import { analyticsPage } from './deploying.ts';
import type { Memory } from './remembered.ts';
import { Stopped, type Talk } from './talk.ts';

const HTTP_OK = 200;
/** "Not found", and what an upload of a Worker is refused with. */
const NO_SUBDOMAIN: ReadonlySet<number | null> = new Set([10007, 10063]);

/**
 * An account that has never opened Workers has no workers.dev subdomain, and takes no Worker without it.
 *
 * @throws Stopped
 */
export async function requireSubdomain(account: Account): Promise<void> {
	const answer = await account.call('GET', 'workers/subdomain');
	if (!answer.ok && NO_SUBDOMAIN.has(answer.code))
		throw new Stopped(
			`the account has no workers.dev subdomain, and Cloudflare takes no Worker without one (code 10063), although the service does not use it: choose a name at https://dash.cloudflare.com/${account.id}/workers/onboarding, then run setup again`,
		);
	must(answer, 'read the workers.dev subdomain');
}

/**
 * Metrics need Analytics Engine, which a person switches on. Its SQL API answers then alone, and gives the same 403 to
 * a login that may not read it: so the person decides, once.
 *
 * @throws Stopped
 */
export async function askAboutMetrics(account: Account, talk: Talk, memory: Memory): Promise<void> {
	if (memory.known.perhapsWithoutMetrics) return;
	const answer = await account.call('GET', 'analytics_engine/sql?query=SHOW%20TABLES');
	// An answer of this API has no envelope.
	if (answer.ok || answer.status === HTTP_OK) return;
	talk.say(
		`Analytics Engine is off in this account, or the login may not see it. Without it nothing is measured; all else works. To switch it on, open ${analyticsPage(account)}.`,
	);
	if (!(await talk.confirm('Go on, without metrics where it is off?')))
		throw new Stopped(`switch Analytics Engine on at ${analyticsPage(account)}, then run setup again`);
	memory.keep({ perhapsWithoutMetrics: true });
}
