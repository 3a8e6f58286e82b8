/** Who may open a partner's cabinet: tables of migrations/0001_schema.sql. */
import { and, eq, gt, isNull } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Role } from '../partner.ts';

export const cabinetInvitations = /* @__PURE__ */ sqliteTable('cabinet_invitations', () => ({
	hash: text('hash').primaryKey(),
	partnerId: text('partner_id').notNull(),
	recovers: integer('recovers', { mode: 'boolean' }).notNull(),
	createdAt: integer('created_at').notNull(),
	expiresAt: integer('expires_at').notNull(),
	seal: text('seal').notNull(),
	usedAt: integer('used_at'),
	passkeyId: text('passkey_id'),
	member: text('member').notNull(),
	role: text('role').$type<Role>().notNull(),
}));

export const cabinetPasskeys = /* @__PURE__ */ sqliteTable('cabinet_passkeys', () => ({
	id: text('id').primaryKey(),
	partnerId: text('partner_id').notNull(),
	publicKey: text('public_key').notNull(),
	counter: integer('counter').notNull(),
	transports: text('transports', { mode: 'json' }).$type<readonly string[]>().notNull(),
	label: text('label').notNull(),
	seal: text('seal').notNull(),
	createdAt: integer('created_at').notNull(),
	lastUsedAt: integer('last_used_at').notNull(),
	member: text('member').notNull(),
	role: text('role').$type<Role>().notNull(),
}));

export const cabinetSessions = /* @__PURE__ */ sqliteTable('cabinet_sessions', () => ({
	hash: text('hash').primaryKey(),
	id: text('id').notNull().unique(),
	partnerId: text('partner_id').notNull(),
	passkeyId: text('passkey_id').notNull(),
	userAgent: text('user_agent').notNull(),
	createdAt: integer('created_at').notNull(),
	lastSeenAt: integer('last_seen_at').notNull(),
	expiresAt: integer('expires_at').notNull(),
}));

export const cabinetChallenges = /* @__PURE__ */ sqliteTable('cabinet_challenges', () => ({
	hash: text('hash').primaryKey(),
	purpose: text('purpose').notNull(),
	boundTo: text('bound_to').notNull(),
	expiresAt: integer('expires_at').notNull(),
	/** Over all columns above. */
	seal: text('seal').notNull(),
}));

export type ChallengeRow = typeof cabinetChallenges.$inferSelect;
export type InvitationRow = typeof cabinetInvitations.$inferSelect;
export type PasskeyRow = typeof cabinetPasskeys.$inferSelect;
export type SessionRow = typeof cabinetSessions.$inferSelect;

/** A partner's link that nobody has used yet. */
export const isOpenInvitation = (partnerId: string, now: number) =>
	and(
		eq(cabinetInvitations.partnerId, partnerId),
		isNull(cabinetInvitations.usedAt),
		gt(cabinetInvitations.expiresAt, now),
	);
