/** The runs of every topic: a topic without runs, or runs without a topic, does not compile. */
import { attentionRuns } from '../attention/command.ts';
import type { RunsOf } from '../command.ts';
import { doctorRuns } from '../doctor/examine.ts';
import { morningRuns } from '../morning/command.ts';
import type { TOPICS } from '../topics/table.ts';
import { alertRuns } from './alert.ts';
import { archiveRuns } from './archive.ts';
import { assetRuns } from './asset.ts';
import { auditRuns } from './audit.ts';
import { backupRuns, restoreRuns } from './backup.ts';
import { earningsRuns } from './earnings.ts';
import { exportRuns } from './export.ts';
import { hedgeRuns } from './hedge.ts';
import { historyRuns } from './history.ts';
import { keysRuns } from './keys.ts';
import { ledgerRuns } from './ledger.ts';
import { networkRuns } from './network.ts';
import { orderRuns } from './order.ts';
import { pairRuns } from './pair.ts';
import { partnerRuns } from './partner.ts';
import { priceRuns } from './price.ts';
import { reportRuns } from './report.ts';
import { restoredRuns } from './restored.ts';
import { sandboxRuns } from './sandbox.ts';
import { payoutRuns } from './settle.ts';
import { siteRuns } from './site.ts';
import { webhookRuns } from './webhook.ts';
import { treasuryRuns } from './withdraw.ts';

export const RUNS: { readonly [Topic in keyof typeof TOPICS]: RunsOf<(typeof TOPICS)[Topic]> } = {
	morning: morningRuns,
	attention: attentionRuns,
	alert: alertRuns,
	doctor: doctorRuns,
	partner: partnerRuns,
	order: orderRuns,
	payout: payoutRuns,
	pair: pairRuns,
	asset: assetRuns,
	network: networkRuns,
	price: priceRuns,
	site: siteRuns,
	webhook: webhookRuns,
	earnings: earningsRuns,
	treasury: treasuryRuns,
	hedge: hedgeRuns,
	report: reportRuns,
	export: exportRuns,
	keys: keysRuns,
	ledger: ledgerRuns,
	archive: archiveRuns,
	audit: auditRuns,
	history: historyRuns,
	backup: backupRuns,
	restore: restoreRuns,
	restored: restoredRuns,
	sandbox: sandboxRuns,
};
