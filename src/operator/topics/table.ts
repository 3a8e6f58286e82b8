/** The topics, in the order of the overview. The key is the first word of the topic's commands. */
import { alert } from './alert.ts';
import { archive } from './archive.ts';
import { asset } from './asset.ts';
import { attention } from './attention.ts';
import { audit } from './audit.ts';
import { backup, restore } from './backup.ts';
import { doctor } from './doctor.ts';
import { earnings } from './earnings.ts';
import { exporting } from './export.ts';
import { hedge } from './hedge.ts';
import { history } from './history.ts';
import { keys } from './keys.ts';
import { ledger } from './ledger.ts';
import { morning } from './morning.ts';
import { network } from './network.ts';
import { order } from './order.ts';
import { pair } from './pair.ts';
import { partner } from './partner.ts';
import { payout } from './payout.ts';
import { price } from './price.ts';
import { report } from './report.ts';
import { restored } from './restored.ts';
import { sandbox } from './sandbox.ts';
import { site } from './site.ts';
import { treasury } from './treasury.ts';
import { webhook } from './webhook.ts';

export const TOPICS = {
	morning,
	attention,
	alert,
	doctor,
	partner,
	order,
	payout,
	pair,
	asset,
	network,
	price,
	site,
	webhook,
	earnings,
	treasury,
	hedge,
	report,
	export: exporting,
	keys,
	ledger,
	archive,
	audit,
	history,
	backup,
	restore,
	restored,
	sandbox,
};

type Topics = typeof TOPICS;

type PathIn<Name extends string, Verb extends string> = Verb extends '' ? Name : `${Name}/${Verb}`;

/** A declared command's path below `/operator/v1/`: `order/list`. A page or a table that names another does not compile. */
export type CommandPath = {
	[Name in keyof Topics]: PathIn<Name, keyof Topics[Name]['commands'] & string>;
}[keyof Topics];
