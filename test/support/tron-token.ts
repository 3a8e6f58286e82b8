/**
 * A TRC-20 token for the stand-in, compiled by solc: as Tron's USDT, its `transfer` returns false although it has
 * transferred, so only receipt and event show the transfer. Unlike Tether's contract, it lets anybody issue tokens.
 */
import solc from 'solc';

const SOURCE = `
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Token {
	string public constant symbol = "USDT";
	uint8 public constant decimals = 6;
	mapping(address => uint256) public balanceOf;
	mapping(address => bool) public refused;
	event Transfer(address indexed from, address indexed to, uint256 value);
	function transfer(address to, uint256 value) public returns (bool) {
		require(!refused[to], "refused");
		move(to, value);
		return false;
	}
	function transferToTwo(address one, address other, uint256 value) public {
		move(one, value);
		move(other, value);
	}
	function issue(address to, uint256 value) public { balanceOf[to] += value; }
	function refuse(address to) public { refused[to] = true; }
	function move(address to, uint256 value) private {
		balanceOf[msg.sender] -= value;
		balanceOf[to] += value;
		emit Transfer(msg.sender, to, value);
	}
}`;

interface Compiled {
	readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
	readonly contracts: {
		readonly token: { readonly Token: { readonly evm: { readonly deployedBytecode: { object: string } } } };
	};
}

/** The code that stands at its address, hex. */
export function tokenCode(): string {
	const input = {
		language: 'Solidity',
		sources: { token: { content: SOURCE } },
		settings: { optimizer: { enabled: true }, outputSelection: { '*': { '*': ['evm.deployedBytecode.object'] } } },
	};
	const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input))) as Compiled;
	const wrong = errors.find(({ severity }) => severity === 'error');
	if (wrong) throw new Error(wrong.formattedMessage);
	return `0x${contracts.token.Token.evm.deployedBytecode.object}`;
}
