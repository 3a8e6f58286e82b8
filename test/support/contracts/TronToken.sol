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
}
