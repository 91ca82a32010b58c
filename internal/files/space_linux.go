package files

import "golang.org/x/sys/unix"

func diskSpace(dir string) (free, total int64, err error) {
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil {
		return 0, 0, err
	}
	unit := disk.Frsize
	if unit <= 0 {
		unit = disk.Bsize
	}
	return int64(disk.Bavail) * unit, int64(disk.Blocks) * unit, nil
}
