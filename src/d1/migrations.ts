/**
 * The migrations that this code was written for, as `d1_migrations` names them, so that `doctor` can say which of them a
 * database lacks. A test compares the list with the folder. Pure.
 */
export const MIGRATIONS: readonly string[] = [
	'0001_partners.sql',
	'0002_settings.sql',
	'0003_orders.sql',
	'0004_treasury.sql',
	'0005_attention.sql',
	'0007_operator_settings.sql',
	'0008_partner_payouts.sql',
	'0009_own_transactions.sql',
	'0010_watch.sql',
	'0011_sweeps.sql',
	'0012_settled_by_hand.sql',
	'0013_reasons_and_kinds.sql',
	'0014_addresses_leave_d1.sql',
	'0017_recorded_dust.sql',
	'0020_recipients_and_lists.sql',
	'0021_caps_and_finalised.sql',
	'0022_withdrawals.sql',
	'0023_transactions.sql',
	'0024_alerts.sql',
	'0025_holds.sql',
	'0026_kept_balances.sql',
	'0027_archive.sql',
	'0028_business.sql',
	'0029_search.sql',
	'0030_kept_deposits.sql',
	'0031_unpaid_earnings.sql',
	'0032_external_ids.sql',
	'0033_code_totals.sql',
	'0034_order_pages.sql',
	'0036_status_days.sql',
	'0037_cabinet.sql',
	'0039_console.sql',
	'0040_actors.sql',
	'0041_network_history.sql',
	'0042_screened_dust.sql',
	'0043_sealed_challenges.sql',
	'0048_cap_counts_paid.sql',
	'0049_earned_seal.sql',
	'0050_sweep_retries.sql',
	'0059_shown_secrets.sql',
];

/** Both Workers name it: where they differ, one of them is of an older version. */
export const NEWEST_MIGRATION = MIGRATIONS.at(-1) ?? '';
