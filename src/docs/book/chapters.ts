/** The chapters of the book, in the order in which they are read. */
import architecture from './architecture.md';
import client from './client.md';
import contract from './contract.md';
import contributing from './contributing.md';
import networks from './networks.md';
import operations from './operations.md';
import threats from './threats.md';

export interface Chapter {
	/** As citations and addresses name it. */
	readonly name: string;
	readonly title: string;
	/** Markdown; its first line is the title as a heading. */
	readonly text: string;
}

export const CHAPTERS: readonly Chapter[] = [
	{ name: 'contract', title: 'The contract', text: contract },
	{ name: 'client', title: 'The client library', text: client },
	{ name: 'networks', title: 'Networks', text: networks },
	{ name: 'architecture', title: 'Architecture', text: architecture },
	{ name: 'threats', title: 'Threats', text: threats },
	{ name: 'operations', title: 'Operations', text: operations },
	{ name: 'contributing', title: 'Contributing', text: contributing },
];
