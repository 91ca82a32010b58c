package ranks

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// networkRanks is the number of ranks that are measured over networks. With two, each has a processor,
// as ranks on several computers have. Ranks in different namespaces do not know that they share a
// computer, so more of them would compete for processors.
const networkRanks = 2

// link is a connection between ranks in a measurement: the memory of this computer, or a network
// between namespaces of this computer, whose links have a rate.
type link struct {
	name string
	// rate is the rate in both directions, in the notation of tc, and "" for memory. burst is the
	// number of bytes that may pass at once after a pause; it is small beside a message, so the rate
	// decides. delay is the delay of each of the two hops of a message, through the bridge in the
	// middle.
	rate, burst, delay string
}

// links are the measured connections, from the fastest to the slowest. Their names have the delay there
// and back.
var links = []link{
	{name: "memory"}, {"10 Gb/s, 0.1 ms", "10gbit", "64kb", "50us"}, {"1 Gb/s, 0.5 ms", "1gbit", "16kb", "250us"},
	{"100 Mb/s, 1 ms", "100mbit", "4kb", "500us"},
}

// network is namespaces that are laid for a measurement, each for one rank, around one with a bridge.
// Namespaces need no second computer, and the system enforces the rates of their links.
type network struct {
	prefix string // of the names of the namespaces
	agent  string // the file of a script that starts a command in the namespace of an address
	delays bool   // the system can delay packets
}

// lackOfNetworks states why no network can be laid, "" if one can.
// The text becomes a note of the report.
func lackOfNetworks() string {
	if os.Geteuid() != 0 {
		return "only root can lay namespaces"
	}
	for _, name := range []string{"ip", "tc", "unshare", "hostname"} {
		if _, err := exec.LookPath(name); err != nil {
			return "there is no command " + name
		}
	}
	return ""
}

// layNetwork makes namespaces for so many ranks, with files in a folder. Close has to be called in the end, also
// after an error.
func layNetwork(ctx context.Context, dir string, ranks int) (*network, error) {
	n := &network{prefix: fmt.Sprintf("bm%d", os.Getpid()), agent: filepath.Join(dir, "agent")}
	// Each rank has a host name, after which Open MPI names its folders.
	// mpirun calls the agent with the address of a host and a command. The last number of the address is
	// the rank.
	script := fmt.Sprintf("#!/bin/sh\nrank=${1##*.}\nshift\nexec ip netns exec %s-$rank unshare -u sh -c \"hostname rank$rank; $*\"\n", n.prefix)
	if err := os.WriteFile(n.agent, []byte(script), 0o700); err != nil {
		return n, err
	}
	// A bridge joins one virtual cable for each rank.
	middle := n.prefix + "-0"
	lines := []string{"ip netns add " + middle, "ip -n " + middle + " link add name bridge0 type bridge", "ip -n " + middle + " link set bridge0 up"}
	for k := 1; k <= ranks; k++ {
		ns := n.namespace(k)
		lines = append(lines, "ip netns add "+ns,
			fmt.Sprintf("ip -n %s link add name to%d type veth peer name eth0 netns %s", middle, k, ns),
			fmt.Sprintf("ip -n %s link set to%d master bridge0 up", middle, k),
			fmt.Sprintf("ip -n %s addr add %s/24 dev eth0", ns, address(k)),
			"ip -n "+ns+" link set eth0 up", "ip -n "+ns+" link set lo up")
	}
	return n, runLines(ctx, lines)
}

// namespace returns the name of the namespace of rank k, where k counts from 1. Namespace 0 has the
// bridge.
func (n *network) namespace(k int) string { return fmt.Sprintf("%s-%d", n.prefix, k) }

// address is the address of the k-th rank. The namespaces are apart from every other network.
func address(k int) string { return fmt.Sprintf("10.77.0.%d", k) }

// limit gives all links of so many ranks a rate and a delay. Where the system cannot delay packets they
// have the rate alone. It first tries netem, which has rate and delay, and then tbf, which has the rate
// alone. Both ends of a link are limited.
func (n *network) limit(ctx context.Context, ranks int, l link) error {
	for _, discipline := range []string{
		fmt.Sprintf("netem delay %s rate %s limit 100000", l.delay, l.rate), fmt.Sprintf("tbf rate %s burst %s latency 200ms", l.rate, l.burst),
	} {
		var lines []string
		for k := 1; k <= ranks; k++ {
			lines = append(lines, fmt.Sprintf("tc -n %s qdisc replace dev eth0 root %s", n.namespace(k), discipline),
				fmt.Sprintf("tc -n %s-0 qdisc replace dev to%d root %s", n.prefix, k, discipline))
		}
		err := runLines(ctx, lines)
		n.delays = strings.HasPrefix(discipline, "netem")
		if err == nil || !n.delays {
			return err
		}
	}
	return nil
}

// Close takes the namespaces away, with all that is in them.
func (n *network) Close(ranks int) {
	for k := range ranks + 1 {
		_ = exec.Command("ip", "netns", "del", n.namespace(k)).Run() // It may not be there.
	}
}

// launch returns the command line that starts ranks of a program. mpirun starts in the first namespace
// and reaches the others through the agent, in place of a remote shell.
func (n *network) launch(ranks int, args []string) []string {
	var hosts []string
	for k := 1; k <= ranks; k++ {
		hosts = append(hosts, address(k)+":1")
	}
	return append([]string{"ip", "netns", "exec", n.namespace(1), "mpirun", "--allow-run-as-root", "--bind-to", "none",
		"--mca", "plm_rsh_agent", n.agent, "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "eth0",
		"--mca", "oob_tcp_if_include", "eth0", "--host", strings.Join(hosts, ","), "-n", fmt.Sprint(ranks)}, args...)
}

// runLines runs commands, each a line of words.
// The first command that fails ends the list, with its output in the error.
func runLines(ctx context.Context, lines []string) error {
	for _, line := range lines {
		words := strings.Fields(line)
		if out, err := exec.CommandContext(ctx, words[0], words[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", line, err, out)
		}
	}
	return nil
}
