# lib.sh -- two hosts for tests: network namespaces n1 and n2 joined by a veth pair, each with its
# host name. Skips the test with a message if namespaces are not allowed. `hosts_clean` removes
# them.
a=rsh-a-$$ b=rsh-b-$$
dir=$(mktemp -d)
hosts_clean() {
	ip netns del $a 2>/dev/null
	ip netns del $b 2>/dev/null
	rm -rf "$dir" /etc/netns/$a /etc/netns/$b
}
trap hosts_clean EXIT
skip() { echo "skipped: $(basename "$0" .sh) ($1)"; exit 0; }
command -v ip > /dev/null 2>&1 || skip "no iproute2 here"
{ ip netns add $a && ip netns add $b && ip link add va$$ netns $a type veth peer name vb$$ netns $b &&
	mkdir -p /etc/netns/$a /etc/netns/$b; } 2> /dev/null || skip "network namespaces are not allowed here"
ip netns exec $a sh -c "ip addr add 10.77.0.1/24 dev va$$; ip link set va$$ up; ip link set lo up"
ip netns exec $b sh -c "ip addr add 10.77.0.2/24 dev vb$$; ip link set vb$$ up; ip link set lo up"
# as with Docker, each host has a network of its own with the same addresses
for host in $a $b; do ip netns exec $host sh -c 'ip link add docker0 type veth peer name docker1; ip addr add 172.17.0.1/16 dev docker0; ip link set docker0 up; ip link set docker1 up'; done
# n3 is in the network and off; n4 has no route
printf '127.0.0.1 localhost\n10.77.0.1 n1\n10.77.0.2 n2\n10.77.0.3 n3\n10.99.0.4 n4\n' > /etc/netns/$a/hosts
cp /etc/netns/$a/hosts /etc/netns/$b/hosts
mkdir "$dir/near" # a folder whose files only n1 has
# stands for ssh: HOST COMMAND (mpirun gives a program called ssh options, too). n3 answers like a host that is off, after 6 s.
cat > "$dir/agent" <<INNER
#!/bin/sh
host=\$1; shift
case \$host in
10.77.0.1 | n1) host=n1 there=$a ;;
10.77.0.2 | n2) host=n2 there=$b ;;
*) timeout 6 tail -f /dev/null; echo "ssh: connect to host \$host port 22: No route to host" >&2; exit 255 ;;
esac
exec env -i PATH="$PATH" HOME="$HOME" ip netns exec \$there unshare --uts --mount sh -c "mount -t tmpfs none $dir/near; hostname \$host; \$*"
INNER
# on_n1 COMMAND...: runs a command on the host n1
printf '#!/bin/sh\nexec ip netns exec %s unshare --uts sh -c '\''hostname n1; exec "$@"'\'' sh "$@"\n' $a > "$dir/on_n1"
chmod +x "$dir/agent" "$dir/on_n1"
